// What an answer means for the task that asked: go on, try again, or give up.
//
//   200–299                        well
//   408, 425, 429, 500–599         retry; Retry-After, in seconds or as a date, becomes not_before
//   409                            retry, step "conflict": read again, then try again
//   300–399                        give_up; the hint names the new place
//   400, 401, 403, 404, the rest   give_up; the hint says what can be done (a key, a permission)
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/io/http/message.h"

namespace tidemill::http {

// The reason has the status and the beginning of the body, printable.
[[nodiscard]] Result<void> judge(const Response& response, WallTime now);

// The value of a Retry-After header: seconds or an HTTP date, never negative, at most a day. Some
// servers write fractions of a second (rounded up to a millisecond). Nothing: it is neither.
[[nodiscard]] std::optional<std::chrono::milliseconds> retry_after(std::string_view value,
                                                                   WallTime now);

// Whether the answer shows that the server itself is in trouble: what a breaker counts. 500–599
// but not 501; never 429, that is a server which is well and says so.
[[nodiscard]] bool is_trouble(const Response& response);

}  // namespace tidemill::http
