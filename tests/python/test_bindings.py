# SPDX-License-Identifier: MIT
"""Every public function and class of the headers is bound, or python/bindings.txt says why not."""

import fnmatch
import operator

import pytest

import fathom
from support import SOURCE
from public_names import names_in, public_names


def entries():
    for line in (SOURCE / "python" / "bindings.txt").read_text().split("\n"):
        if not line or line.startswith("#"):
            continue
        mark = " = " if " = " in line else " -- "
        pattern, _, what = line.partition(mark)
        assert what.strip(), line
        yield pattern.strip(), mark.strip(), what.strip()


def test_every_public_name_is_bound_or_excused():
    patterns = [pattern for pattern, _, _ in entries()]
    names = public_names(SOURCE)
    assert len(names) > 500
    missing = [n for n in names if not any(fnmatch.fnmatchcase(n, p) for p in patterns)]
    assert not missing, "python/bindings.txt says nothing of " + ", ".join(missing)


def test_no_line_is_left_over():
    names = public_names(SOURCE)
    unused = [p for p, _, _ in entries() if not any(fnmatch.fnmatchcase(n, p) for n in names)]
    assert not unused, "no header declares " + ", ".join(unused)


def test_every_binding_is_there():
    for pattern, mark, what in entries():
        if mark == "=":
            assert operator.attrgetter(what)(fathom) is not None, pattern


def test_the_reader_of_headers_sees_what_is_public():
    text = """
    namespace fathom {
    /// int hidden_in_a_comment();
    FATHOM_API std::array<int, size(3)> made(int a = other(), std::function<void(int)> f = {});
    template <class T>
    requires(std::same_as<T, int>) void constrained(T t) { call(t); }
    enum class Kind { kOne, kTwo };
    class FATHOM_API Thing {
     public:
      explicit Thing(int);
      ~Thing();
      [[nodiscard]] int value() const { return inner(); }
      friend bool operator==(const Thing&, const Thing&);
     private:
      void secret();
    };
    struct Plain { int field = 0; std::function<bool()> stop; void act(); };
    namespace detail { void helper(); }
    namespace math { float log(float x); }
    }
    """
    assert sorted(names_in(text)) == ["Plain", "Plain::act", "Thing", "Thing::value", "constrained", "made", "math::log"]


@pytest.mark.parametrize("name", ["Simulator::render", "Environments::set_entity_poses", "read_scene_file", "Frame"])
def test_the_headers_hold(name):
    assert name in public_names(SOURCE)
