#include "tidemill/ui/command/values.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "tidemill/ui/command/kinds.h"

namespace tidemill::command {
namespace {

const std::vector<std::string> kNone{};

const Flag* described_flag(const Values& values, std::string_view name) {
  if (!values.described) return nullptr;
  const auto found = std::ranges::find(values.described->flags, name, &Flag::name);
  return found == values.described->flags.end() ? nullptr : &*found;
}

void append_flag(std::vector<std::string>& line, const std::string& name, const Value& value,
                 bool is_toggle) {
  for (const auto& text : value.texts) {
    if (is_toggle) {
      line.push_back((text == "true" ? "--" : "--no-") + name);
    } else {
      line.push_back("--" + name + "=" + text);
    }
  }
}

// Empty if the value is absent or invalid; invalid values are a bug.
template <class T>
std::optional<T> read(const Value* value, Result<T> (*parse)(std::string_view)) {
  if (value == nullptr || value->texts.empty()) return std::nullopt;
  const auto parsed = parse(value->texts.back());
  assert(parsed && "every value is checked before it comes here");
  return parsed ? std::optional<T>(*parsed) : std::nullopt;
}

template <class T>
T sure(const std::optional<T>& value) {
  assert(value && "the flag has no default");
  return value.value_or(T{});
}

}  // namespace

const Value* Values::find(std::string_view flag, [[maybe_unused]] ValueKind kind) const {
  [[maybe_unused]] const Flag* const known = described_flag(*this, flag);
  assert((!described || known != nullptr) && "the verb has no such flag");
  assert((known == nullptr || known->kind == kind) && "the flag is of another kind");
  const auto found = flags.find(flag);
  return found == flags.end() ? nullptr : &found->second;
}

bool Values::has(std::string_view flag) const {
  assert((!described || described_flag(*this, flag) != nullptr) && "the verb has no such flag");
  return flags.contains(flag);
}

bool Values::is_on(std::string_view flag) const {
  return read(find(flag, ValueKind::toggle), parse_toggle).value_or(false);
}

// Works for every kind: a choice, a path, or a duration for a message.
std::string Values::text(std::string_view flag) const {
  const auto& all = texts(flag);
  return all.empty() ? "" : all.back();
}

const std::vector<std::string>& Values::texts(std::string_view flag) const {
  const auto found = has(flag) ? flags.find(flag) : flags.end();
  return found == flags.end() ? kNone : found->second.texts;
}

std::optional<std::uint64_t> Values::count(std::string_view flag) const {
  return read(find(flag, ValueKind::count), parse_count);
}

std::optional<std::chrono::milliseconds> Values::duration(std::string_view flag) const {
  return read(find(flag, ValueKind::duration), parse_duration);
}

std::optional<Bytes> Values::size(std::string_view flag) const {
  return read(find(flag, ValueKind::size), parse_size);
}

std::optional<double> Values::rate(std::string_view flag) const {
  return read(find(flag, ValueKind::rate), parse_rate);
}

std::uint64_t Values::count_of(std::string_view flag) const { return sure(count(flag)); }
std::chrono::milliseconds Values::duration_of(std::string_view flag) const {
  return sure(duration(flag));
}
Bytes Values::size_of(std::string_view flag) const { return sure(size(flag)); }
double Values::rate_of(std::string_view flag) const { return sure(rate(flag)); }

const std::vector<std::string>& Values::argument(std::string_view name) const {
  assert((!described || std::ranges::find(described->arguments, name, &Argument::name) !=
                            described->arguments.end()) &&
         "the verb has no such argument");
  const auto found = arguments.find(name);
  return found == arguments.end() ? kNone : found->second;
}

std::vector<std::string> Values::as_arguments() const {
  std::vector<std::string> line;
  if (!described) {
    for (const auto& [name, value] : flags) append_flag(line, name, value, false);
    for (const auto& [name, texts] : arguments) line.insert(line.end(), texts.begin(), texts.end());
    return line;
  }
  for (const auto& flag : described->flags) {
    const auto found = flags.find(flag.name);
    if (found != flags.end()) {
      append_flag(line, flag.name, found->second, flag.kind == ValueKind::toggle);
    }
  }
  std::vector<std::string> before;
  std::vector<std::string> after;
  bool takes_after = false;
  for (const auto& argument : described->arguments) {
    takes_after = takes_after || argument.is_after_dashes;
    const auto& texts = this->argument(argument.name);
    auto& part = argument.is_after_dashes ? after : before;
    part.insert(part.end(), texts.begin(), texts.end());
  }
  // If no argument takes the words after "--", it protects names that look like a flag or a verb.
  if (!takes_after) std::swap(before, after);
  line.insert(line.end(), before.begin(), before.end());
  if (!after.empty()) line.emplace_back("--");
  line.insert(line.end(), after.begin(), after.end());
  return line;
}

}  // namespace tidemill::command
