# SPDX-License-Identifier: MIT
"""The names of public functions, classes and member functions of include/fathom, as its headers declare them. A struct is
data that functions take or return: only its member functions have names here."""

import pathlib
import re

KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "requires", "noexcept", "static_assert", "decltype",
            "alignas", "catch", "__attribute__", "defined"}


def without_comments(text):
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    text = re.sub(r"'(?:[^'\\]|\\.)'", "' '", text)
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", "", text, flags=re.M)


def name_of_function(head):
    """The name that stands before the first parenthesis of a declaration outside templates and attributes."""
    head = re.sub(r"\[\[[^\]]*\]\]|__attribute__\s*\(\(.*?\)\)|alignas\s*\([^)]*\)", " ", head)
    head = re.sub(r"\brequires\s*\((?:[^()]|\([^()]*\))*\)", " ", head)
    for match in re.finditer(r"(operator\s*[^\s(]+|~?\w+)\s*\((?!\s*\*)", head):
        if head[: match.start()].count("<") == head[: match.start()].count(">"):  # not within template arguments
            break
    else:
        return None
    if match[1].startswith(("operator", "~")) or match[1] in KEYWORDS:
        return None
    before = head[: match.start()]
    if "=" in before or not before.strip():  # an initialiser, or a constructor
        return None
    return match[1]


class Scope:
    def __init__(self, kind, name="", public=True):
        self.kind, self.name, self.public = kind, name, public


def scope_of(head, outer):
    """What a brace opens, after the text before it."""
    flat = " ".join(head.split())
    match = re.search(r"\bnamespace\s+([\w:]+)$", flat)
    if match:
        return Scope("namespace", match[1])
    match = re.search(r"^(?:template\s*<.*>\s*)?(?:requires.*)?(struct|class|union)\s+(?:FATHOM_API\s+)?"
                      r"(?:alignas\s*\([^)]*\)\s*)?(\w+)[^()=]*$", flat)
    if match and outer.kind in ("namespace", "class"):
        return Scope("class", match[2], match[1] != "class")
    if re.search(r"\benum\b", flat):
        return Scope("enum")
    return Scope("body")


def names_in(text):
    """A name for each public declaration of namespace fathom."""
    stack = [Scope("namespace")]
    head = ""
    for token in re.findall(r"[{};]|(?:public|private|protected)\s*:(?!:)|[^{};]+?(?=(?:public|private|protected)\s*:(?!:)|[{};]|$)",
                            without_comments(text), re.S):
        outer = stack[-1]
        label = re.fullmatch(r"\s*(public|private|protected)\s*:\s*", token)
        if label and outer.kind == "class":
            outer.public, head = label[1] == "public", ""
            continue
        if token not in "{};":
            head += token
            continue
        yield from declared(head, token, stack)
        if token == "{":
            stack.append(scope_of(head, outer))
        elif token == "}":
            stack.pop()
        head = ""


def declared(head, token, stack):
    scope = stack[-1]
    path = [s.name for s in stack if s.name]
    if "detail" in path or any(s.kind in ("body", "enum") or not s.public for s in stack):
        return
    spaces = [p for s in stack if s.kind == "namespace" for p in s.name.split("::") if p]
    classes = [s.name for s in stack if s.kind == "class"]
    if spaces[:1] != ["fathom"] or "detail" in spaces:
        return
    prefix = "::".join(spaces[1:] + classes)
    prefix += "::" if prefix else ""
    flat = " ".join(head.split())
    if not flat or re.match(r"(friend|using|static_assert|typedef|return|enum\b|extern)", flat):
        return
    opened = scope_of(head, scope) if token == "{" else None
    if opened and opened.kind == "class":
        if not classes and not opened.public:
            yield prefix + opened.name
        return
    if opened and opened.kind != "body" or token == "}":
        return
    name = name_of_function(flat)
    if name and name not in classes:
        yield prefix + name


def public_names(root):
    """All of them, sorted."""
    names = set()
    for header in sorted(pathlib.Path(root, "include", "fathom").rglob("*.hpp")):
        names.update(names_in(header.read_text()))
    return sorted(names)


if __name__ == "__main__":
    print("\n".join(public_names(pathlib.Path(__file__).resolve().parents[2])))
