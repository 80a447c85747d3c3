#include "tidemill/ui/command/config/config.h"

#include <toml++/toml.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/ui/command/kinds.h"
#include "tidemill/ui/command/lookup.h"
#include "tidemill/ui/command/nearest.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::command {
namespace {

using Chosen = std::map<std::string, Value, std::less<>>;

std::string line_of(const std::string& path, const toml::source_region& source) {
  return path + ":" + std::to_string(source.begin.line);
}

std::string point_of(const std::string& path, const toml::source_region& source) {
  return line_of(path, source) + ":" + std::to_string(source.begin.column);
}

// The form of a value of this kind in a file.
std::string_view wanted(ValueKind kind) {
  switch (kind) {
    case ValueKind::toggle:
      return "true or false";
    case ValueKind::count:
      return "a whole number";
    case ValueKind::duration:
      return "a string such as \"30s\" or a number of seconds";
    case ValueKind::size:
      return "a string such as \"64K\" or a whole number";
    default:
      return "a string";
  }
}

std::optional<std::string> text_of(const toml::node& node, ValueKind kind) {
  if (kind == ValueKind::toggle) {
    if (const auto* on = node.as_boolean()) return on->get() ? "true" : "false";
    return std::nullopt;
  }
  const bool takes_number =
      kind == ValueKind::count || kind == ValueKind::duration || kind == ValueKind::size;
  if (const auto* number = node.as_integer(); number != nullptr && takes_number) {
    return std::to_string(number->get());
  }
  if (const auto* text = node.as_string(); text != nullptr && kind != ValueKind::count) {
    return text->get();
  }
  return std::nullopt;
}

// One file, read for one verb. One thread.
class ConfigReading final {
 public:
  ConfigReading(const Program& program, const Verb& verb, const std::string& path)
      : program_(program), verb_(verb), path_(path) {}

  // `owner` is null at the top of the file.
  Result<void> read(const toml::table& table, const Verb* owner) {
    for (const auto& [key, node] : table) {
      if (const Verb* const below = below_of(owner, key.str());
          below != nullptr && node.is_table()) {
        continue;  // read after the flags of this table, which it overrides
      }
      TRY(read_flag(key, node, owner));
    }
    for (const auto& [key, node] : table) {
      const Verb* const below = below_of(owner, key.str());
      if (below != nullptr && node.is_table()) TRY(read(*node.as_table(), below));
    }
    return {};
  }

  [[nodiscard]] Chosen take() { return std::move(chosen_); }

 private:
  [[nodiscard]] const Verb* below_of(const Verb* owner, std::string_view word) const {
    const auto& verbs = verbs_below(program_, owner);
    const auto found = std::ranges::find(verbs, word, last_word);
    return found == verbs.end() ? nullptr : &*found;
  }

  // A key at the top level may belong to another verb; it is checked, but not used.
  [[nodiscard]] std::vector<Flag> known_to(const Verb* owner) const {
    if (owner != nullptr) return chosen_flags(program_, owner);
    auto flags = chosen_flags(program_, &verb_);  // first: aliases differ between verbs
    for (const Flag& flag : program_.flags) flags.push_back(flag);
    for (const Verb* const verb : all_verbs(program_)) {
      flags.insert(flags.end(), verb->flags.begin(), verb->flags.end());
    }
    return flags;
  }

  Result<void> read_flag(const toml::key& key, const toml::node& node, const Verb* owner) {
    const auto flags = known_to(owner);
    const auto flag = std::ranges::find_if(flags, [&](const Flag& known) {
      return key.str().size() > 1 && is_called(known, key.str());
    });
    if (flag == flags.end()) return refuse_key(key, flags, owner);
    if (!flag->is_configurable) {
      return misuse(line_of(path_, key.source()) + ": --" + flag->name +
                    " can only be given on the command line");
    }
    Value value{.origin = ValueSource::config, .place = line_of(path_, key.source())};
    TRY(read_value(*flag, node, value));
    const auto own = chosen_flags(program_, &verb_);
    const bool is_ours = owner == &verb_ ||
                         (owner == nullptr && std::ranges::count(own, flag->name, &Flag::name) > 0);
    if (is_ours) chosen_.insert_or_assign(flag->name, std::move(value));
    return {};
  }

  Result<void> read_value(const Flag& flag, const toml::node& node, Value& value) const {
    const auto* const list = node.as_array();
    if (list == nullptr) return read_one(flag, node, value);
    if (!flag.is_list) return refuse_type(flag, node);
    // A stored command line cannot express an empty list, so a resumed run would differ.
    if (list->empty()) return misuse(point_of(path_, node.source()) + ": the list is empty");
    for (const auto& item : *list) TRY(read_one(flag, item, value));
    return {};
  }

  Result<void> read_one(const Flag& flag, const toml::node& node, Value& value) const {
    auto text = text_of(node, flag.kind);
    if (!text) return refuse_type(flag, node);
    if (const auto checked = check(flag, *text); !checked) {
      return misuse(point_of(path_, node.source()) + ": " + flag.name + ": " +
                    checked.error().reason);
    }
    value.texts.push_back(*std::move(text));
    return {};
  }

  Result<void> refuse_type(const Flag& flag, const toml::node& node) const {
    return misuse(point_of(path_, node.source()) + ": " + flag.name + " must be " +
                  std::string(wanted(flag.kind)));
  }

  Result<void> refuse_key(const toml::key& key, const std::vector<Flag>& flags,
                          const Verb* owner) const {
    std::vector<std::string> names;
    for (const auto& flag : flags) names.push_back(flag.name);
    for (const auto& verb : verbs_below(program_, owner)) names.push_back(last_word(verb));
    return misuse(line_of(path_, key.source()) + ": unknown key " + in_quotes(key.str()),
                  did_you_mean(nearest(key.str(), names)) + see_help(program_, owner));
  }

  const Program& program_;
  const Verb& verb_;
  const std::string& path_;
  Chosen chosen_;
};

}  // namespace

Result<Chosen> parse_config(const Program& program, const Verb& verb, const std::string& path,
                            std::string_view text) {
  try {
    const toml::table table = toml::parse(text, path);
    ConfigReading reading(program, verb, path);
    TRY(reading.read(table, nullptr));
    return reading.take();
  } catch (const toml::parse_error& error) {
    return misuse(point_of(path, error.source()) + ": " + std::string(error.description()));
  } catch (const std::exception& error) {
    return misuse(path + ": " + error.what());
  }
}

}  // namespace tidemill::command
