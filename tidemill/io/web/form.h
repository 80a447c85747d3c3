// Form: the names and values of a query, or of a form that a browser has posted
// (application/x-www-form-urlencoded). Names and values are any bytes: they may contain NUL, line
// ends and invalid UTF-8, so check what you use. Nothing is guessed: an invalid escape ("%zz",
// "%4") and anything above the limits fails with step "form" and Cure::give_up; for a limit the
// kind is over_limit. To be answered with 400, or 413.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/io/web/incoming.h"

namespace tidemill::web {

// A value.
struct Form {
  std::vector<std::pair<std::string, std::string>> fields{};  // in the order of the text

  // The first with this name; null when there is none. Later ones are ignored, so check and use
  // the same one.
  [[nodiscard]] const std::string* value(std::string_view name) const;
  bool operator==(const Form&) const = default;
};

struct FormLimits {
  std::size_t most_fields = 100;
  Bytes most_bytes = kib(64);  // of the text
};

// "a=1&b=x+y%21": a name without '=' has an empty value; empty parts ("a=1&&b=2") are skipped.
[[nodiscard]] Result<Form> parse_form(std::string_view text, const FormLimits& limits = {});

// The text of a form, for links: parse_form() gives the same form back.
[[nodiscard]] std::string text_of(const Form& form);

// Whether the request says that its body is such a form.
[[nodiscard]] bool has_form(const Incoming& incoming);

// "%41" is "A"; all other bytes stay, '+' too. Fails like parse_form().
[[nodiscard]] Result<std::string> percent_decoded(std::string_view text);

// Escapes everything but letters, digits and "-._~": for one segment of a path, or one value.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace tidemill::web
