#include "tidemill/io/web/form.h"

#include <algorithm>

#include "tidemill/base/hex.h"
#include "tidemill/base/try.h"
#include "tidemill/io/web/header_text.h"

namespace tidemill::web {
namespace {

constexpr std::string_view kStep = "form";

std::unexpected<Failure> refuse_form(std::string reason) {
  return fail(Cure::give_up, std::string(kStep), std::move(reason));
}

std::unexpected<Failure> refuse_size(std::string reason) {
  return fail(Cure::give_up, FailureKind::over_limit, std::string(kStep), std::move(reason));
}

Result<std::string> decoded(std::string_view text, bool plus_is_space) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+' && plus_is_space) {
      bytes += ' ';
    } else if (text[at] != '%') {
      bytes += text[at];
    } else {
      const auto high = at + 2 < text.size() ? hex_value(text[at + 1]) : std::nullopt;
      const auto low = high ? hex_value(text[at + 2]) : std::nullopt;
      if (!low) return refuse_form("invalid escape at byte " + std::to_string(at));
      bytes += static_cast<char>(*high << 4U | *low);
      at += 2;
    }
  }
  return bytes;
}

bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

const std::string* Form::value(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &std::pair<std::string, std::string>::first);
  return found == fields.end() ? nullptr : &found->second;
}

Result<std::string> percent_decoded(std::string_view text) { return decoded(text, false); }

std::string percent_encoded(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (is_plain(c)) {
      escaped += c;
    } else {
      static constexpr std::string_view kDigits = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      escaped += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
  }
  return escaped;
}

Result<Form> parse_form(std::string_view text, const FormLimits& limits) {
  if (text.size() > limits.most_bytes.count) {
    return refuse_size(std::to_string(text.size()) + " bytes, more than " +
                       std::to_string(limits.most_bytes.count));
  }
  Form form;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (part.empty()) continue;
    if (form.fields.size() == limits.most_fields) {
      return refuse_size("more than " + std::to_string(limits.most_fields) + " fields");
    }
    const auto equals = std::min(part.find('='), part.size());
    LET(std::string name, decoded(part.substr(0, equals), true));
    LET(std::string value, decoded(part.substr(std::min(equals + 1, part.size())), true));
    form.fields.emplace_back(std::move(name), std::move(value));
  }
  return form;
}

std::string text_of(const Form& form) {
  std::string text;
  for (const auto& [name, value] : form.fields) {
    if (!text.empty()) text += '&';
    text += percent_encoded(name) + '=' + percent_encoded(value);
  }
  return text;
}

bool has_form(const Incoming& incoming) {
  const std::string* type = incoming.header("content-type");
  if (type == nullptr) return false;
  const std::string_view kind = std::string_view(*type).substr(0, type->find(';'));
  return lowered(trimmed(kind)) == "application/x-www-form-urlencoded";
}

}  // namespace tidemill::web
