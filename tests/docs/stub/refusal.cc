#include "tests/docs/stub/refusal.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>

#include "tidemill/base/try.h"

namespace tidemill::docs_stub {
namespace {

struct Kind {
  int status;
  const char* error;
  const char* message;
};

constexpr Kind kKinds[] = {
    {.status = 400, .error = "validation_error", .message = "Validation failed"},
    {.status = 401, .error = "authentication_required", .message = "Authentication required"},
    {.status = 403,
     .error = "permission_required",
     .message = "You do not have permission to access this resource"},
    {.status = 404, .error = "not_found", .message = "Resource not found"},
    {.status = 409,
     .error = "document_conflict",
     .message = "Document has been modified since the provided revision"},
    {.status = 413, .error = "payload_too_large", .message = "Payload too large"},
    {.status = 429,
     .error = "rate_limit_exceeded",
     .message = "Rate limit exceeded for this operation"},
    {.status = 500, .error = "internal_error", .message = "Internal error"},
    {.status = 502, .error = "bad_gateway", .message = "Bad gateway"},
    {.status = 503, .error = "service_unavailable", .message = "Service unavailable"},
    {.status = 504, .error = "gateway_timeout", .message = "Gateway timeout"},
};

const Json* present(const Json& body, const char* name) {
  const auto field = body.find(name);
  return field == body.end() || field->is_null() ? nullptr : &*field;
}

bool is_short_id(std::string_view text) {
  const auto dash = text.rfind('-');
  const auto last = dash == std::string_view::npos ? text : text.substr(dash + 1);
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0; };
  const auto may_stand = [&](unsigned char c) {
    return is_letter(c) || c == '-' || c == '_' || c == '~';
  };
  return last.size() >= 10 && last.size() <= 15 && std::ranges::all_of(last, is_letter) &&
         std::ranges::all_of(text, may_stand);
}

}  // namespace

Refusal refusal(int status, std::string message) {
  const auto* const kind = std::ranges::find(kKinds, status, &Kind::status);
  const bool is_known = kind != std::end(kKinds);
  if (message.empty()) message = is_known ? kind->message : "Error";
  return {
      .status = status, .error = is_known ? kind->error : "error", .message = std::move(message)};
}

bool is_strict_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash != (text[i] == '-')) return false;
    if (!is_dash && std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return text[14] >= '1' && text[14] <= '8' &&
         std::string_view("89abAB").find(text[19]) != std::string_view::npos;
}

std::size_t utf16_length(std::string_view text) {
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) != 0x80U) units += byte >= 0xF0U ? 2 : 1;
  }
  return units;
}

Checked<std::optional<std::string>> text_field(const Json& body, const char* name) {
  const Json* field = present(body, name);
  if (field == nullptr) return std::nullopt;
  if (!field->is_string()) return refuse(400, std::string(name) + ": expected a string");
  return field->get<std::string>();
}

Checked<std::optional<std::string>> uuid_field(const Json& body, const char* name) {
  LET(auto text, text_field(body, name));
  if (text && !is_strict_uuid(*text)) return refuse(400, std::string(name) + ": Invalid UUID");
  return text;
}

Checked<std::optional<std::int64_t>> count_field(const Json& body, const char* name) {
  const Json* field = present(body, name);
  if (field == nullptr) return std::nullopt;
  const double number = field->is_number() ? field->get<double>() : -1;
  const bool is_count = number >= 0 && number <= 9e15 && std::floor(number) == number;
  if (!is_count) {
    return refuse(400, std::string(name) + ": expected an integer that is not negative");
  }
  return static_cast<std::int64_t>(number);
}

Checked<std::string> document_field(const Json& body) {
  LET(auto text, text_field(body, "id"));
  if (!text) return refuse(400, "id: Required");
  if (!is_strict_uuid(*text) && !is_short_id(*text))
    return refuse(400, "id: Must be a valid UUID or slug");
  return *text;
}

Checked<std::string> needed_uuid(const Json& body, const char* name) {
  LET(auto text, uuid_field(body, name));
  if (!text) return refuse(400, std::string(name) + ": Required");
  return *text;
}

Checked<Page> page_field(const Json& body) {
  LET(auto offset, count_field(body, "offset"));
  LET(auto limit, count_field(body, "limit"));
  Page page;
  page.offset = static_cast<std::size_t>(offset.value_or(0));
  page.limit = static_cast<std::size_t>(limit.value_or(25));
  if (page.limit > 100) return refuse(400, "Pagination limit is too large (max 100)");
  if (page.limit == 0) return refuse(400, "Pagination limit must be greater than 0");
  return page;
}

Checked<Order> order_field(const Json& body, const std::vector<std::string>& allowed,
                           const std::string& usual) {
  LET(auto by, text_field(body, "sort"));
  LET(auto direction, text_field(body, "direction"));
  if (by && std::ranges::find(allowed, *by) == allowed.end()) return refuse(400, "sort: Invalid");
  return Order{.by = by.value_or(usual), .ascending = direction == "ASC"};
}

}  // namespace tidemill::docs_stub
