#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "tidemill/app/doctor/gather.h"
#include "tidemill/base/descriptor.h"

namespace tidemill::app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// As SQLite appends to its write-ahead log: a page, then fdatasync().
constexpr std::size_t kPage = 4096;
constexpr int kMostWrites = 16;
constexpr Bytes kProbe{kPage * kMostWrites};
constexpr std::chrono::milliseconds kLongEnough = 300ms;

// Sets `path` to its nearest existing parent folder, or itself; returns 0 or an errno.
int find_existing(std::string& path) {
  struct stat seen{};
  while (::stat(path.c_str(), &seen) != 0) {
    if (errno != ENOENT) return errno;
    const std::string parent = fs::path(path).parent_path().string();
    if (parent.empty() || parent == path) return ENOENT;
    path = parent;
  }
  return S_ISDIR(seen.st_mode) ? 0 : ENOTDIR;
}

// Creates a file with a unique name and removes it. The file has a name, because some file systems
// do not sync unnamed files.
class Probe {
 public:
  explicit Probe(const std::string& folder)
      : folder_(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    if (!folder_.is_open()) {
      error_ = errno;
      return;
    }
    // Relative to the open folder, even if it is renamed.
    name_ = "/proc/self/fd/" + std::to_string(folder_.number()) + "/.tidemill-doctor-XXXXXX";
    file_ = Descriptor(::mkostemp(name_.data(), O_CLOEXEC));
    error_ = file_.is_open() ? 0 : errno;
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  ~Probe() {
    if (file_.is_open()) (void)::unlink(name_.c_str());
  }

  [[nodiscard]] int error() const { return error_; }

  // Appends a page.
  [[nodiscard]] Trial write() const {
    static constexpr std::array<char, kPage> kZeros{};
    const ssize_t put = ::write(file_.number(), kZeros.data(), kZeros.size());
    if (put == static_cast<ssize_t>(kZeros.size())) return {};
    return {.failed = Trial::Step::write, .error = put < 0 ? errno : ENOSPC};
  }
  [[nodiscard]] Trial sync() const {
    if (::fdatasync(file_.number()) == 0) return {};
    return {.failed = Trial::Step::sync, .error = errno};
  }

 private:
  Descriptor folder_;
  std::string name_;
  Descriptor file_;
  int error_ = 0;
};

Trial try_out(const std::string& folder, std::optional<Bytes> file_limit, const Clock& clock,
              std::vector<std::chrono::nanoseconds>& syncs) {
  if (file_limit && *file_limit < kProbe) return {.failed = Trial::Step::write, .error = EFBIG};
  const Probe probe(folder);
  if (probe.error() != 0) return {.failed = Trial::Step::make, .error = probe.error()};
  const Instant start = clock.now();
  for (int i = 0; i < kMostWrites && clock.now() - start < kLongEnough; ++i) {
    if (auto wrote = probe.write(); wrote.failed != Trial::Step::none) return wrote;
    const Instant before = clock.now();
    if (auto synced = probe.sync(); synced.failed != Trial::Step::none) return synced;
    syncs.push_back(clock.now() - before);
  }
  return {};
}

std::optional<Space> space_of(const std::string& folder) {
  struct statvfs seen{};
  if (::statvfs(folder.c_str(), &seen) != 0 || seen.f_blocks == 0) return std::nullopt;
  return Space{.free = {std::uint64_t{seen.f_bavail} * seen.f_frsize},
               .size = {std::uint64_t{seen.f_blocks} * seen.f_frsize},
               .free_files = seen.f_favail,
               .files = seen.f_files};
}

}  // namespace

StateFacts gather_state(const run::StateFolder& state, std::optional<Bytes> file_limit,
                        const Clock& clock) {
  StateFacts facts{.path = state.path(), .at = state.runs()};
  struct stat seen{};
  facts.is_there = ::stat(facts.path.c_str(), &seen) == 0;
  if (facts.is_there) facts.mode = seen.st_mode & 07777U;
  if (auto own = state.demand_own(); !own) facts.refusal = std::move(own).error();
  if (const int error = find_existing(facts.at); error != 0) {
    facts.trial = {.failed = Trial::Step::make, .error = error};
    return facts;
  }
  struct statfs system{};
  if (::statfs(facts.at.c_str(), &system) == 0) facts.type = std::int64_t{system.f_type};
  facts.space = space_of(facts.at);
  facts.trial = try_out(facts.at, file_limit, clock, facts.syncs);
  return facts;
}

TemporaryFacts gather_temporary(std::optional<Bytes> file_limit) {
  TemporaryFacts facts;
  std::error_code wrong;
  facts.path = fs::temp_directory_path(wrong).string();
  if (wrong) {
    facts.trial = {.failed = Trial::Step::make, .error = wrong.value()};
    return facts;
  }
  if (file_limit && *file_limit < Bytes{kPage}) {
    facts.trial = {.failed = Trial::Step::write, .error = EFBIG};
    return facts;
  }
  const Probe probe(facts.path);
  facts.trial = probe.error() != 0 ? Trial{.failed = Trial::Step::make, .error = probe.error()}
                                   : probe.write();
  return facts;
}

}  // namespace tidemill::app
