#include "common/spec/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <streambuf>
#include <utility>

#include "common/base/text.h"

namespace torchsoak::spec {
namespace {

constexpr std::size_t kMaxBytes = 1U << 20U;
constexpr std::size_t kMaxDepth = 50;
constexpr std::size_t kMaxDocuments = 16;  // a file may begin or end with an empty one
constexpr std::size_t kMaxShownPath = 256;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Ends the parse. Thrown only from inside the library's events, caught in ParseYaml.
struct Refusal {
  FieldError error;
};

/// A list or map that is still open.
struct Frame {
  Json value;
  Lines lines;
  std::string key;  ///< of the member that comes next
  bool has_key = false;
};

int LineOf(const YAML::Mark& mark) { return mark.line + 1; }

/// Builds the JSON from the library's events, which still tell quoted from plain and still have
/// duplicate keys; its node tree has neither.
class Builder final : public YAML::EventHandler {
 public:
  /// `text` is what is parsed, so that marks can be looked up in it.
  explicit Builder(std::string_view text) : text_(text) {}

  YamlDocument Take() { return std::move(document_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string& /*name*/) override { NoAnchors(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { NoAnchors(mark); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    if (AwaitsKey()) Refuse(mark, "a key is missing in front of the colon");
    const bool in_list = !open_.empty() && open_.back().value.is_array();
    if (in_list && text_.substr(PositionOf(mark), 1) == ",") Refuse(mark, "an item is missing");
    Add(nullptr, LineOf(mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    CheckTag(mark, tag);
    const bool quoted = tag == "!";
    const std::size_t end = quoted ? EndOfQuoted(mark) : PositionOf(mark) + value.size();
    if (AwaitsKey()) {
      CheckColon(mark, end);
      return SetKey(mark, value, quoted);
    }
    if (quoted) return Add(value, LineOf(mark));
    std::optional<Json> scalar = ReadPlainScalar(value);
    if (!scalar) Refuse(mark, Quote(value) + " is not a number that JSON has");
    Add(std::move(*scalar), LineOf(mark));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(mark, tag, Json::array());
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, tag, Json::object());
  }
  void OnMapEnd() override { Close(); }

 private:
  bool AwaitsKey() const {
    return !open_.empty() && open_.back().value.is_object() && !open_.back().has_key;
  }

  /// "spec.pod.env[2].name" of what is being read.
  std::string Path() const {
    std::string path;
    for (const Frame& frame : open_) {
      if (frame.value.is_array()) {
        path += "[" + std::to_string(frame.value.size()) + "]";
      } else if (frame.has_key) {
        path += (path.empty() ? "" : ".") + Shorten(frame.key, kMaxShownPath);
      }
    }
    return Shorten(path, kMaxShownPath);
  }

  [[noreturn]] void Refuse(const YAML::Mark& mark, std::string message) const {
    throw Refusal{{Path(), std::move(message), LineOf(mark)}};
  }
  [[noreturn]] void NoAnchors(const YAML::Mark& mark) const {
    Refuse(mark, "anchors and aliases (& and *) are not read: write the value out");
  }
  void CheckTag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    Refuse(mark, "tags like !!str are not read: put the text in quotes instead");
  }

  std::size_t PositionOf(const YAML::Mark& mark) const {
    const std::size_t skipped = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    return std::min(static_cast<std::size_t>(mark.pos) + skipped, text_.size());
  }

  /// Behind the closing quote, which must be on the same line: yaml-cpp takes a lesser indent for
  /// the end, where others read on to the next quote. Of a block scalar (| or >) this is its head.
  std::size_t EndOfQuoted(const YAML::Mark& mark) const {
    const std::size_t at = PositionOf(mark);
    const char quote = at < text_.size() ? text_[at] : '|';
    if (quote != '"' && quote != '\'') return at;
    for (std::size_t i = at + 1; i < text_.size() && text_[i] != '\n'; ++i) {
      const bool twice = text_.substr(i, 2) == "''";
      if (quote == '"' ? text_[i] == '\\' : twice) {
        if (text_.substr(i + 1, 1) != "\n") ++i;  // an escape
      } else if (text_[i] == quote) {
        return i + 1;
      }
    }
    Refuse(mark, "a text in quotes must end on its line: close the quote, or use | or >");
  }

  /// A key without a colon is a key without a value to yaml-cpp, and an error to others.
  void CheckColon(const YAML::Mark& mark, std::size_t end) const {
    const std::size_t next = text_.find_first_not_of(" \t", end);
    if (next == std::string_view::npos || text_[next] != ':') {
      Refuse(mark, "a colon is missing behind a key: write it as key: value on one line");
    }
  }

  void SetKey(const YAML::Mark& mark, const std::string& key, bool quoted) {
    if (!quoted && key == "<<") Refuse(mark, "merge keys (<<) are not read: write the fields out");
    Frame& frame = open_.back();
    const std::optional<Json> meaning = quoted ? Json(key) : ReadPlainScalar(key);
    if (!meaning || !meaning->is_string()) {
      Refuse(mark, "the key " + Quote(key) + " is not text: put it in quotes");
    }
    frame.key = key;
    frame.has_key = true;
    const auto [member, added] = frame.lines.members.try_emplace(key);
    if (!added) {
      Refuse(mark, "the key " + Quote(key) + " is there twice, on line " +
                       std::to_string(member->second.line) + " and on line " +
                       std::to_string(LineOf(mark)) + ": keep one");
    }
    member->second.line = LineOf(mark);
  }

  void Open(const YAML::Mark& mark, const std::string& tag, Json empty) {
    CheckTag(mark, tag);
    if (AwaitsKey()) Refuse(mark, "a key must be text, not a list or a map");
    if (open_.size() >= kMaxDepth) Refuse(mark, "nested deeper than 50 levels");
    Frame frame;
    frame.value = std::move(empty);
    frame.lines.line = LineOf(mark);
    open_.push_back(std::move(frame));
  }

  void Close() {
    Frame frame = std::move(open_.back());
    open_.pop_back();
    Put(std::move(frame.value), std::move(frame.lines));
  }

  void Add(Json value, int line) {
    Lines lines;
    lines.line = line;
    Put(std::move(value), std::move(lines));
  }

  void Put(Json value, Lines lines) {
    if (open_.empty()) {
      document_ = {std::move(value), std::move(lines)};
      return;
    }
    Frame& parent = open_.back();
    if (parent.value.is_array()) {
      parent.value.push_back(std::move(value));
      parent.lines.items.push_back(std::move(lines));
      return;
    }
    Lines& member = parent.lines.members[parent.key];
    lines.line = member.line;
    member = std::move(lines);
    parent.value[parent.key] = std::move(value);
    parent.has_key = false;
  }

  std::string_view text_;
  std::vector<Frame> open_;
  YamlDocument document_;
};

/// Reads from memory without a copy.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // streambuf's get area is only read
    setg(begin, begin, begin + text.size());
  }
};

int LineAt(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

/// The first control character; a carriage return without its line feed, and Unicode's line breaks,
/// which end a line (and a comment) for others and do not for yaml-cpp.
std::size_t FindControl(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::string_view rest = text.substr(i, 3);
    const bool line_end = byte == '\n' || (byte == '\r' && rest.substr(0, 2) == "\r\n");
    const bool other_break =
        rest.starts_with("\xC2\x85") || rest == "\xE2\x80\xA8" || rest == "\xE2\x80\xA9";
    if ((byte < 0x20 && byte != '\t' && !line_end) || byte == 0x7F || other_break) return i;
  }
  return std::string_view::npos;
}

/// What no YAML may hold, found before the library sees it.
std::optional<FieldError> CheckBytes(std::string_view text) {
  if (text.size() > kMaxBytes) return FieldError{"", "the file is over 1 MiB", 0};
  const std::size_t bad = FirstBadUtf8(text);
  if (bad < text.size()) {
    return FieldError{"", "a byte that is not UTF-8: save the file as UTF-8", LineAt(text, bad)};
  }
  for (std::size_t line = 0; line < text.size(); line = text.find('\n', line) + 1) {
    if (text[line] == '%') return FieldError{"", "directives (%) are not read", LineAt(text, line)};
    if (text.find('\n', line) == std::string_view::npos) break;
  }
  const std::size_t control = FindControl(text);
  if (control == std::string_view::npos) return std::nullopt;
  return FieldError{
      "", "a control character or a line break of another system: save the file as plain text",
      LineAt(text, control)};
}

tl::expected<YamlDocument, FieldError> ReadDocuments(YAML::Parser& parser, std::string_view text) {
  YamlDocument found;
  for (std::size_t i = 0;; ++i) {
    Builder builder(text);
    if (!parser.HandleNextDocument(builder)) break;
    YamlDocument document = builder.Take();
    if (document.value.is_null() && i < kMaxDocuments) continue;
    if (!found.value.is_null() || i >= kMaxDocuments) {
      return tl::unexpected<FieldError>(
          {"", "a second document: one file holds one StressTest", document.lines.line});
    }
    found = std::move(document);
  }
  return found;
}

}  // namespace

tl::expected<YamlDocument, FieldError> ParseYaml(std::string_view text) {
  if (auto bad = CheckBytes(text)) return tl::unexpected<FieldError>(std::move(*bad));
  ViewBuffer buffer(text);
  std::istream stream(&buffer);
  try {
    YAML::Parser parser(stream);
    return ReadDocuments(parser, text);
  } catch (Refusal& refusal) {
    return tl::unexpected<FieldError>(std::move(refusal.error));
  } catch (const YAML::Exception& e) {
    return tl::unexpected<FieldError>({"", "not YAML: " + e.msg, LineOf(e.mark)});
  }
}

}  // namespace torchsoak::spec
