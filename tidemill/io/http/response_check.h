// What a response means for the task: continue, retry, or give up.
//
//   200–299                        success
//   408, 425, 429, 500–599         retry; Retry-After, in seconds or as a date, becomes not_before
//   409                            retry, step "conflict": read again, then try again
//   300–399                        give_up; the hint names the new location
//   400, 401, 403, 404, the rest   give_up; the hint says what to do (a key, a permission)
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/io/http/message.h"

namespace tidemill::http {

// The reason contains the status and the beginning of the body, printable.
[[nodiscard]] Result<void> judge(const HttpResponse& response, WallTime now);

// The value of a Retry-After header: seconds or an HTTP date, never negative, at most a day. Some
// servers send fractions of a second (rounded up to a millisecond). Nothing if it is neither.
[[nodiscard]] std::optional<std::chrono::milliseconds> retry_after(std::string_view value,
                                                                   WallTime now);

// Whether the response shows a failure of the server itself, which a circuit breaker counts:
// 500–599 except 501. Not 429, which a healthy server sends.
[[nodiscard]] bool is_server_error(const HttpResponse& response);

}  // namespace tidemill::http
