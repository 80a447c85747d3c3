// The Redis server of a verb: --redis, REDIS_URL, or the local default; and its password, which is
// never on a command line: --password-file, TIDEMILL_REDIS_PASSWORD, or in REDIS_URL. A password
// file that others can read is rejected (io/http/secret.h).
#pragma once

#include <string>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/address.h"

namespace tidemill::redis_flags {

[[nodiscard]] Result<redis::RedisAddress> redis_address(const std::string& url,
                                                        const std::string& password_file);

// "host:pid" of this process, shown to users who find a lease held.
[[nodiscard]] std::string owner_name();

}  // namespace tidemill::redis_flags
