// Which Redis, for every verb that talks to one: --redis, or REDIS_URL; and its password, which is
// never on a command line: --password-file, TIDEMILL_REDIS_PASSWORD, or in REDIS_URL. A file that
// others may read is refused (io/http/secret.h).
#pragma once

#include <string>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/address.h"

namespace tidemill::redis_flags {

[[nodiscard]] Result<redis::Address> redis_address(const std::string& url,
                                                   const std::string& password_file);

// "host:pid": who we are, for people who find a lease held.
[[nodiscard]] std::string owner_name();

}  // namespace tidemill::redis_flags
