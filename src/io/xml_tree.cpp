#include "io/xml_tree.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include <fathom/error.hpp>

#include "base/text.hpp"
#include "io/nesting.hpp"
#include "io/text_lines.hpp"

namespace fathom {

namespace {

[[noreturn]] void fail_at(std::string_view bytes, const std::string& file, std::size_t at, std::string_view what) {
  const std::string_view before = bytes.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_end = before.rfind('\n');
  const std::size_t column = line_end == std::string_view::npos ? at + 1 : at - line_end;
  throw InputError(fmt::format("{}:{}:{}: {}", file, line, column, one_line(std::string(what))));
}

bool is_name_character(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) != 0 || u >= 0x80 || c == '_' || c == ':' || c == '.' || c == '-';
}

std::string utf8(std::uint32_t code) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xc0 | code >> 6U), byte(0x80 | (code & 63U))};
  if (code < 0x10000) return {byte(0xe0 | code >> 12U), byte(0x80 | (code >> 6U & 63U)), byte(0x80 | (code & 63U))};
  return {byte(0xf0 | code >> 18U), byte(0x80 | (code >> 12U & 63U)), byte(0x80 | (code >> 6U & 63U)),
          byte(0x80 | (code & 63U))};
}

/// What stands between '&' and ';', or nothing.
std::optional<std::string> entity(std::string_view name) {
  if (name == "lt") return "<";
  if (name == "gt") return ">";
  if (name == "amp") return "&";
  if (name == "quot") return "\"";
  if (name == "apos") return "'";
  if (name.empty() || name[0] != '#') return std::nullopt;
  const bool is_hex = name.size() > 1 && name[1] == 'x';
  const std::string_view digits = name.substr(is_hex ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, is_hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size() || code == 0 || code > 0x10ffff) return std::nullopt;
  return utf8(code);
}

class Parser {
 public:
  Parser(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  XmlElement document() {
    if (const std::size_t zero = bytes_.find('\0'); zero != std::string_view::npos) {
      fail(zero, "a zero byte: not a text in UTF-8");
    }
    if (starts("\xef\xbb\xbf")) at_ += 3;
    skip_between_elements();
    if (!starts("<")) fail(at_, "not XML: an element should begin here");
    XmlElement root = element(1);
    skip_between_elements();
    if (at_ < bytes_.size()) fail(at_, "the file goes on after its last element");
    return root;
  }

 private:
  [[noreturn]] void fail(std::size_t at, std::string_view what) const { fail_at(bytes_, file_, at, what); }
  [[nodiscard]] bool starts(std::string_view text) const { return bytes_.substr(at_, text.size()) == text; }
  void skip_blanks() { at_ = std::min(bytes_.find_first_not_of(kBlanks, at_), bytes_.size()); }

  /// Moves behind the next `closing` and gives what stood before it.
  std::string_view take_to(std::string_view closing, std::string_view what) {
    const std::size_t end = bytes_.find(closing, at_);
    if (end == std::string_view::npos) fail(at_, fmt::format("{} has no end '{}'", what, closing));
    const std::string_view taken = bytes_.substr(at_, end - at_);
    at_ = end + closing.size();
    return taken;
  }

  void skip_between_elements() {
    for (skip_blanks();; skip_blanks()) {
      if (starts("<!--")) {
        take_to("-->", "a comment");
      } else if (starts("<?")) {
        take_to("?>", "an instruction");
      } else if (starts("<!DOCTYPE")) {
        const std::size_t at = at_;
        if (take_to(">", "a document type").find('[') != std::string_view::npos) {
          fail(at, "a document type with declarations is not understood");
        }
      } else {
        return;
      }
    }
  }

  std::string_view name(std::string_view what) {
    const std::size_t begin = at_;
    while (at_ < bytes_.size() && is_name_character(bytes_[at_])) ++at_;
    if (at_ == begin) fail(begin, fmt::format("{} should stand here", what));
    return bytes_.substr(begin, at_ - begin);
  }

  void append_decoded(std::string_view raw, std::string& text) const {
    for (std::size_t mark = raw.find('&'); mark != std::string_view::npos; mark = raw.find('&')) {
      text += raw.substr(0, mark);
      const std::string_view rest = raw.substr(mark + 1, 9);
      const std::size_t length = rest.find(';');
      const auto value = length == std::string_view::npos ? std::nullopt : entity(rest.substr(0, length));
      if (!value) {
        fail(static_cast<std::size_t>(raw.data() - bytes_.data()) + mark, fmt::format("'&{}' is not understood", rest));
      }
      text += *value;
      raw.remove_prefix(mark + 1 + length + 1);
    }
    text += raw;
  }

  void attribute(XmlElement& element) {
    const std::size_t at = at_;
    const std::string_view key = name("the name of an attribute, '/>' or '>'");
    if (element.attribute(key) != nullptr) fail(at, fmt::format("attribute '{}' is there twice", key));
    skip_blanks();
    if (!starts("=")) fail(at_, fmt::format("attribute '{}' has no '='", key));
    ++at_;
    skip_blanks();
    if (!starts("\"") && !starts("'")) fail(at_, fmt::format("attribute '{}' is not in quotes", key));
    const std::string_view quote = bytes_.substr(at_++, 1);
    const std::string_view raw = take_to(quote, "an attribute");
    if (raw.find('<') != std::string_view::npos) fail(at, fmt::format("attribute '{}' has a '<' in it", key));
    append_decoded(raw, element.attributes.emplace_back(key, std::string()).second);
  }

  XmlElement element(std::size_t depth) {
    XmlElement made;
    made.at = at_++;
    if (depth > kMaxNesting) fail(made.at, fmt::format("nested {} deep, the limit is {}", depth, kMaxNesting));
    made.name = name("the name of an element");
    for (skip_blanks(); !starts(">") && !starts("/>"); skip_blanks()) attribute(made);
    const bool is_empty = starts("/");
    at_ += is_empty ? 2 : 1;
    if (!is_empty) content(made, depth);
    return made;
  }

  void content(XmlElement& element, std::size_t depth) {
    while (true) {
      const std::size_t next = bytes_.find('<', at_);
      if (next == std::string_view::npos) {
        fail(bytes_.size(), fmt::format("the file ends here, inside of <{}>", element.name));
      }
      const std::string_view raw = bytes_.substr(at_, next - at_);
      if (!element.text.empty() || !trim(raw).empty()) append_decoded(raw, element.text);
      at_ = next;
      if (starts("</")) return end_of(element);
      if (starts("<!--")) {
        take_to("-->", "a comment");
      } else if (starts("<?")) {
        take_to("?>", "an instruction");
      } else if (starts("<![CDATA[")) {
        at_ += 9;
        element.text += take_to("]]>", "CDATA");
      } else {
        element.children.push_back(this->element(depth + 1));
      }
    }
  }

  void end_of(const XmlElement& element) {
    const std::size_t at = at_;
    at_ += 2;
    if (const std::string_view closed = name("the name of an element"); closed != element.name) {
      fail(at, fmt::format("</{}> ends an element <{}>", closed, element.name));
    }
    skip_blanks();
    if (!starts(">")) fail(at_, fmt::format("</{} has no '>'", element.name));
    ++at_;
  }

  std::string_view bytes_;
  const std::string& file_;
  std::size_t at_ = 0;
};

}  // namespace

const std::string* XmlElement::attribute(std::string_view key) const {
  for (const auto& a : attributes) {
    if (a.first == key) return &a.second;
  }
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view wanted) const {
  for (const XmlElement& c : children) {
    if (c.name == wanted) return &c;
  }
  return nullptr;
}

XmlTree::XmlTree(std::string_view bytes, std::string file)
    : bytes_(bytes), file_(std::move(file)), root_(Parser(bytes_, file_).document()) {}

void XmlTree::fail(const XmlElement& element, std::string_view what) const {
  const std::string* id = element.attribute("id");
  const std::string who =
      id == nullptr ? fmt::format("<{}>", element.name) : fmt::format("<{} id='{:.60}'>", element.name, *id);
  fail_at(bytes_, file_, element.at, fmt::format("{}: {}", who, what));
}

}  // namespace fathom
