#include "tidemill/jobs/docs/command/written.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/files/write_all.h"
#include "tidemill/io/hash/uuid.h"
#include "tidemill/jobs/docs/command/blocks.h"
#include "tidemill/jobs/docs/server/planted_outline.h"

namespace tidemill::docs {
namespace {

constexpr mode_t kForUs = 0600;
constexpr std::size_t kDigest = 36;

std::unexpected<Failure> failed(const std::string& path) {
  return fail(Cure::give_up, "written", path + ": " + system_text(errno));
}

std::string digest_of(std::string_view document, std::string_view letters) {
  return hash::uuid5(document, letters);
}

Result<std::string> all_of(int file, const std::string& path) {
  std::string all;
  std::string block(std::size_t{64} * 1024, '\0');
  for (;;) {
    const ssize_t got = ::read(file, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(path);
    if (got == 0) return all;
    all.append(block, 0, static_cast<std::size_t>(got));
  }
}

}  // namespace

Result<std::unique_ptr<Written>> Written::open(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  State state{.file = Descriptor(::open(path.c_str(), kFlags, kForUs)), .digests = {}};
  if (!state.file.is_open()) return failed(path);
  LET(const std::string all, all_of(state.file.number(), path));
  std::string_view rest = all;
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    if (end == kDigest) state.digests.emplace(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  // Ends a line that a kill left incomplete, so that the next one is on a line of its own.
  if (!rest.empty()) TRY(files::write_all(state.file.number(), "\n", path));
  return std::unique_ptr<Written>(new Written(path, std::move(state)));
}

Result<void> Written::remember(std::string_view document, std::string_view text) {
  const std::vector<std::string> lines = command_like(text);
  if (lines.empty()) return {};
  auto state = state_.lock();
  std::string added;
  for (const std::string& line : lines) {
    const std::string digest = digest_of(document, line);
    if (state->digests.insert(digest).second) added += digest + "\n";
  }
  if (added.empty()) return {};
  TRY(files::write_all(state->file.number(), added, path_));
  if (::fdatasync(state->file.number()) != 0) return failed(path_);
  return {};
}

bool Written::holds(std::string_view document, std::string_view line) {
#ifdef TIDEMILL_PLANT
  if (is_planted("no-memory")) return false;
#endif
  auto state = state_.lock();
  if (state->digests.empty()) return false;
  for (std::size_t end = 0; end < line.size();) {
    end = std::min(line.find(' ', end + 1), line.size());
    const std::string letters = canonical(line.substr(0, end));
    if (state->digests.contains(digest_of(document, letters))) return true;
  }
  return false;
}

}  // namespace tidemill::docs
