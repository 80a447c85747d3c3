#include "tidemill/io/sandbox/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "tidemill/base/descriptor.h"

namespace tidemill::sandbox {
namespace {

// As numbers: the headers may be older than the kernel.
constexpr std::uint32_t kExecute = 1U << 0U;
constexpr std::uint32_t kWrite = 1U << 1U;
constexpr std::uint32_t kRead = 1U << 2U;
constexpr std::uint32_t kReadFolder = 1U << 3U;
constexpr std::uint32_t kRemoveFolder = 1U << 4U;
constexpr std::uint32_t kRemoveFile = 1U << 5U;
constexpr std::uint32_t kMakeFolder = 1U << 7U;
constexpr std::uint32_t kMakeFile = 1U << 8U;
constexpr std::uint32_t kMakeLink = 1U << 12U;
constexpr std::uint32_t kMove = 1U << 13U;      // between folders; version 2
constexpr std::uint32_t kTruncate = 1U << 14U;  // version 3
constexpr std::uint32_t kDevices = 1U << 15U;   // ioctl() on them; version 5
constexpr std::uint32_t kOfFiles = kExecute | kWrite | kRead | kTruncate | kDevices;
constexpr std::uint32_t kReading = kExecute | kRead | kReadFolder;
constexpr std::uint32_t kWriting = kRead | kReadFolder | kWrite | kRemoveFolder | kRemoveFile |
                                   kMakeFolder | kMakeFile | kMakeLink | kMove | kTruncate;

struct LandlockRules {
  std::uint64_t files = (1U << 13U) - 1;
  std::uint64_t network = 0;
  std::uint64_t scope = 0;
};

LandlockRules rules_of(long version) {
  LandlockRules rules;
  if (version >= 2) rules.files |= kMove;
  if (version >= 3) rules.files |= kTruncate;
  if (version >= 4) rules.network = 3;  // binding and connecting TCP
  if (version >= 5) rules.files |= kDevices;
  if (version >= 6) rules.scope = 3;  // abstract sockets and signals
  return rules;
}

std::size_t size_of(long version) { return version >= 6 ? 24 : version >= 4 ? 16 : 8; }

void allow(int ruleset, const AllowedPath& opening, std::uint64_t known) {
  const Descriptor place(::open(opening.path.c_str(), O_PATH | O_CLOEXEC));
  struct stat seen{};
  if (!place.is_open() || ::fstat(place.number(), &seen) != 0) return;
  std::uint64_t rights = (opening.is_writable ? kWriting : kReading) & known;
  if (!S_ISDIR(seen.st_mode)) rights &= kOfFiles;
  const landlock_path_beneath_attr rule{.allowed_access = rights, .parent_fd = place.number()};
  (void)::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

}  // namespace

bool close_files_but(std::span<const AllowedPath> openings) {
  const auto version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  const LandlockRules rules = rules_of(version);
  const Descriptor ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, size_of(version), 0)));
  if (!ruleset.is_open()) return false;
  for (const AllowedPath& opening : openings) allow(ruleset.number(), opening, rules.files);
  return ::syscall(SYS_landlock_restrict_self, ruleset.number(), 0) == 0;
}

}  // namespace tidemill::sandbox
