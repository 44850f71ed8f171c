#include "common/contract/spec_reader.h"

#include <charconv>

namespace torchsoak::contract {
namespace {

const Json& EmptyObject() {
  static const Json empty = Json::object();
  return empty;
}

/// Whole numbers also come as 5.0: JSON does not tell them apart.
std::optional<std::int64_t> WholeNumber(const Json& value) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (!(number >= -9e15 && number <= 9e15)) return std::nullopt;
    const auto whole = static_cast<std::int64_t>(number);
    if (static_cast<double>(whole) != number) return std::nullopt;
    return whole;
  }
  return GetInt(value, {});
}

}  // namespace

SpecReader SpecReader::Child(std::string_view key) {
  const Json* member = Member(key);
  if (member != nullptr && !member->is_object()) Wrong(key, "must be object");
  const bool usable = member != nullptr && member->is_object();
  return {usable ? *member : EmptyObject(), path_ + "." + std::string(key), *error_};
}

SpecReader SpecReader::Item(std::string_view key, std::size_t index) {
  const Json& item = Member(key)->at(index);
  const std::string name = std::string(key) + "[" + std::to_string(index) + "]";
  if (!item.is_object()) Wrong(name, "must be object");
  return {item.is_object() ? item : EmptyObject(), path_ + "." + name, *error_};
}

void SpecReader::Int(std::string_view key, std::int64_t low, std::int64_t high, std::int64_t& out) {
  std::optional<std::int64_t> value;
  Int(key, low, high, value);
  out = value.value_or(out);
}

void SpecReader::Int(std::string_view key, std::int64_t low, std::int64_t high,
                     std::optional<std::int64_t>& out) {
  const Json* member = Member(key);
  if (member == nullptr) return;
  const std::optional<std::int64_t> value = WholeNumber(*member);
  if (!value) {
    Wrong(key, "must be integer");
  } else if (*value < low || *value > high) {
    Wrong(key, "must be from " + std::to_string(low) + " to " + std::to_string(high) + ", was " +
                   std::to_string(*value));
  } else {
    out = value;
  }
}

void SpecReader::Bool(std::string_view key, bool& out) {
  const Json* member = Member(key);
  if (member == nullptr) return;
  if (!member->is_boolean()) return Wrong(key, "must be boolean");
  out = member->get<bool>();
}

void SpecReader::Text(std::string_view key, std::string& out) {
  const Json* member = Member(key);
  if (member == nullptr) return;
  if (!member->is_string()) return Wrong(key, "must be string");
  out = member->get<std::string>();
}

void SpecReader::Duration(std::string_view key, std::optional<std::chrono::milliseconds>& out) {
  if (!Has(key)) return;
  std::string text;
  Text(key, text);
  const auto duration = ParseDuration(text);
  if (!duration) return Wrong(key, duration.error().message);
  out = *duration;
}

void SpecReader::Duration(std::string_view key, std::chrono::milliseconds& out) {
  std::optional<std::chrono::milliseconds> value;
  Duration(key, value);
  out = value.value_or(out);
}

void SpecReader::Number(std::string_view key, double low, double high, double& out) {
  if (!Has(key)) return;
  std::string text;
  Text(key, text);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end || !(value >= low && value <= high)) {
    return Wrong(key, Quote(text) + " is not a number that is allowed here");
  }
  out = value;
}

void SpecReader::Wrong(std::string_view key, std::string_view what) {
  if (error_->has_value()) return;
  std::string at = path_;
  if (!key.empty()) at += "." + std::string(key);
  *error_ = Error{ErrorCode::kInvalid, at + ": " + std::string(what)};
}

}  // namespace torchsoak::contract
