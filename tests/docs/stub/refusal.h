// Refusal: why a request was not served, as an Outline server words it; and the readers of request
// fields that refuse what it refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace tidemill::docs_stub {

using Json = nlohmann::json;

struct Refusal {
  int status = 400;
  std::string error{};
  std::string message{};
};

template <class T>
using Checked = std::expected<T, Refusal>;

// With the name of the error that belongs to the status.
[[nodiscard]] Refusal refusal(int status, std::string message = {});
[[nodiscard]] inline std::unexpected<Refusal> refuse(int status, std::string message = {}) {
  return std::unexpected(refusal(status, std::move(message)));
}

// RFC 4122: the version and the variant count too.
[[nodiscard]] bool is_strict_uuid(std::string_view text);
// As JavaScript counts: in UTF-16 units.
[[nodiscard]] std::size_t utf16_length(std::string_view text);

// Nothing: the field is absent (null counts as absent, for every optional field here may be null).
[[nodiscard]] Checked<std::optional<std::string>> text_field(const Json& body, const char* name);
[[nodiscard]] Checked<std::optional<std::string>> uuid_field(const Json& body, const char* name);
[[nodiscard]] Checked<std::optional<std::int64_t>> count_field(const Json& body, const char* name);
// A uuid, or the short id at the end of a document's address.
[[nodiscard]] Checked<std::string> document_field(const Json& body);
[[nodiscard]] Checked<std::string> needed_uuid(const Json& body, const char* name);

struct Page {
  std::size_t offset = 0;
  std::size_t limit = 25;
};
[[nodiscard]] Checked<Page> page_field(const Json& body);

struct Order {
  std::string by{};
  bool ascending = false;
};
[[nodiscard]] Checked<Order> order_field(const Json& body, const std::vector<std::string>& allowed,
                                         const std::string& usual);

}  // namespace tidemill::docs_stub
