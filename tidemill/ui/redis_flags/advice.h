// What a user can do about a failure of Redis: the client names what happened (io/redis/client.h),
// and only a verb knows which flags and variables would change it.
#pragma once

#include <string>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/address.h"

namespace tidemill::redis_flags {

// The failure with a hint where one is known; others as they are. `key`: the stream or queue.
[[nodiscard]] Failure with_advice(Failure failure, const redis::Address& address,
                                  const std::string& key);

}  // namespace tidemill::redis_flags
