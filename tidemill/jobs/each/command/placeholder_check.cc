#include "tidemill/jobs/each/command/placeholder_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "tidemill/ui/command/usage.h"

namespace tidemill::each {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::array<std::string_view, 6> kOurs = {"{}", "{.}", "{/}", "{//}", "{/.}", "{#}"};

bool is_ours(std::string_view placeholder) {
  return std::ranges::find(kOurs, placeholder) != kOurs.end();
}

// {1} and {1.} mean {} and {.} because each task has one name.
std::string without_number(std::string_view placeholder) {
  if (!placeholder.starts_with("{1")) return std::string(placeholder);
  return "{" + std::string(placeholder.substr(2));
}

// Whether this can be between the braces: a sign, a number from 1 to 99, then only . / # %.
bool is_placeholder_body(std::string_view body) {
  if (body.starts_with('=')) return body.size() > 1 && body.ends_with('=');  // {= perl =}
  if (body.starts_with('+') || body.starts_with('-')) {
    body.remove_prefix(1);
    if (body.empty()) return false;
  }
  const auto digits = std::min(body.find_first_not_of(kDigits), body.size());
  if (digits > 2 || body.starts_with('0')) return false;
  return body.find_first_not_of("./#%", digits) == std::string_view::npos;
}

// Whether {4} after this character can be a repetition in a regular expression.
bool can_be_repeated(char before) {
  const bool is_letter = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z');
  return is_letter || kDigits.contains(before) || before == ']' || before == ')' || before == '.';
}

bool means_something_else(char before, std::string_view body) {
  const bool is_number = !body.empty() && body.find_first_not_of(kDigits) == std::string_view::npos;
  return before == '$' || (is_number && can_be_repeated(before));
}

// The first placeholder at or after `from`, as a view into `text`; empty: none.
std::string_view next_placeholder(std::string_view text, std::size_t from) {
  for (auto open = text.find('{', from); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    const auto close = text.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string_view body = text.substr(open + 1, close - open - 1);
    const char before = open == 0 ? ' ' : text[open - 1];
    if (is_placeholder_body(body) && !means_something_else(before, body)) {
      return text.substr(open, close - open + 1);
    }
  }
  return {};
}

// The script with "$1" in place of the name; empty if it contains other placeholders, or quotes,
// within which "$1" would be wrong.
std::string with_dollar_one(std::string_view script) {
  if (script.find_first_of("'\"\\`") != std::string_view::npos) return {};
  std::string text;
  std::size_t at = 0;
  while (true) {
    const std::string_view found = next_placeholder(script, at);
    if (found.empty()) return text + std::string(script.substr(at));
    if (without_number(found) != "{}") return {};
    const auto begin = static_cast<std::size_t>(found.data() - script.data());
    text += std::string(script.substr(at, begin - at)) + "\"$1\"";
    at = begin + found.size();
  }
}

std::string advice_for_script(const std::string& script, std::string_view found) {
  const std::string ours = without_number(found);
  const std::string literal =
      "; for a literal " + std::string(found) + " use {\"\"" + std::string(found.substr(1));
  if (ours == "{#}") return "use \"$TIDEMILL_TASK\"" + literal;
  if (ours != "{}") {
    return "pass it as an argument: -- sh -c 'cp \"$1\" \"$2.bak\"' sh {} " +
           (is_ours(ours) ? ours : "{.}") + literal;
  }
  std::string right = with_dollar_one(script);
  if (right.empty()) right = "gzip -k \"$1\"";
  return "use \"$1\", as in: --shell -- '" + right + "'" + literal;
}

std::string advice_for_arguments(std::string_view found) {
  const std::string ours = without_number(found);
  const std::string first = is_ours(ours) ? "use " + ours : "use {} {.} {/} {//} {/.} or {#}";
  return first + "; for a literal " + std::string(found) + " use --shell -- 'COMMAND {\"\"" +
         std::string(found.substr(1)) + " \"$1\"'";
}

}  // namespace

Result<void> check_placeholders(const EachOptions& options) {
  if (options.shell) {
    const std::string& script = options.command.front();
    const std::string_view found = next_placeholder(script, 0);
    if (found.empty()) return {};
    return command::misuse("--shell: " + std::string(found) + " is not replaced in a script",
                           advice_for_script(script, found));
  }
  for (const std::string& word : options.command) {
    for (auto found = next_placeholder(word, 0); !found.empty();) {
      if (!is_ours(found)) {
        return command::misuse("no such placeholder: " + std::string(found),
                               advice_for_arguments(found));
      }
      found = next_placeholder(word, static_cast<std::size_t>(found.data() - word.data()) + 1);
    }
  }
  return {};
}

}  // namespace tidemill::each
