#include "tidemill/ui/command/place_arguments.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/ui/command/kinds.h"
#include "tidemill/ui/command/lookup.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::command {
namespace {

using Words = std::vector<std::string>;

std::unexpected<Failure> is_missing(const Program& program, const Verb& verb,
                                    const Argument& argument) {
  const std::string what = argument.is_after_dashes ? "it comes after --" : argument.help;
  return misuse(argument.name + " is missing" + (what.empty() ? "" : ": " + what),
                see_help(program, &verb));
}

Result<void> check_words(const Program& program, const Verb& verb, const Argument& argument,
                         const Words& words) {
  if (argument.is_required && words.empty()) return is_missing(program, verb, argument);
  for (const auto& word : words) {
    if (argument.is_after_dashes) break;  // a command's own words
    if (const auto checked = check(argument, word); !checked) {
      return misuse(argument.name + ": " + checked.error().reason, see_help(program, &verb));
    }
  }
  return {};
}

}  // namespace

Result<void> place_arguments(const Program& program, const Verb& verb, const Words& loose,
                             const Words& after, Values& values) {
  Words words = loose;
  const bool takes_after = after_dashes(verb) != nullptr;
  if (!takes_after) words.insert(words.end(), after.begin(), after.end());
  std::size_t needed = 0;  // by the required arguments that are still to come
  for (const auto& argument : verb.arguments) {
    if (!argument.is_required || argument.is_after_dashes) continue;
    if (++needed > words.size()) return is_missing(program, verb, argument);  // the last ones are
  }
  auto next = words.begin();
  for (const auto& argument : verb.arguments) {
    Words taken = after;
    if (!argument.is_after_dashes) {
      if (argument.is_required) --needed;
      const auto left = static_cast<std::size_t>(words.end() - next);
      const std::size_t free = left > needed ? left - needed : 0;
      const auto end = next + static_cast<std::ptrdiff_t>(
                                  argument.is_list ? free : std::min<std::size_t>(free, 1));
      taken.assign(next, end);
      next = end;
    }
    TRY(check_words(program, verb, argument, taken));
    if (!taken.empty()) values.arguments[argument.name] = std::move(taken);
  }
  if (next == words.end()) return {};
  return misuse("one argument too many: " + in_quotes(*next), see_help(program, &verb));
}

}  // namespace tidemill::command
