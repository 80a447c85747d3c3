// FleetKey: the secret that the coordinators and the workers of a fleet share. Whoever can write to
// the Redis server could otherwise make the workers run any command: so runs, parcels and reports
// carry a signature (HMAC-SHA256) by this key, and what is not signed is not used.
//
// The key is in a file that only its user can read (mode 0600): 64 hexadecimal digits. It is the
// same file on all hosts; `tidemill fleet key` makes it.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::fleet {

// Immutable.
class FleetKey {
 public:
  // No key: signatures are empty, and every signature is accepted.
  FleetKey() = default;

  // Refuses a file that others can read. Kind not_found: there is no such file.
  [[nodiscard]] static Result<FleetKey> read(const std::string& path);
  // Writes a new random key. Never overwrites a file.
  [[nodiscard]] static Result<void> create(const std::string& path);

  [[nodiscard]] bool is_given() const { return !secret_.empty(); }

  // `purpose` separates what is signed ("parcel", "report", "run"), so that a signature of one is
  // none of another. 32 bytes.
  [[nodiscard]] std::string sign(std::string_view purpose, std::string_view bytes) const;
  [[nodiscard]] bool is_signed(std::string_view purpose, std::string_view bytes,
                               std::string_view signature) const;

 private:
  explicit FleetKey(std::string secret) : secret_(std::move(secret)) {}

  std::string secret_;
};

}  // namespace tidemill::fleet
