#include "tidemill/jobs/each/output/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/files/new_file.h"

namespace tidemill::each {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10U;

std::unexpected<Failure> output_failure(const std::string& path, int error) {
  const bool may_pass = error == ENOSPC || error == EDQUOT || error == EMFILE || error == ENFILE;
  return fail(may_pass ? Cure::retry : Cure::give_up, FailureKind::unwritable, "output",
              path + ": " + system_text(error));
}

Result<std::size_t> read_some(const Descriptor& file, const std::string& path,
                              std::string& buffer) {
  for (;;) {
    const ssize_t got = ::read(file.number(), buffer.data(), buffer.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return output_failure(path, errno);
  }
}

Result<void> write_in(const proc::Captured& captured, const files::HeldFolder& folder,
                      const std::string& name) {
  LET(auto file, files::NewFile::begin(folder, name, files::kAsTheUmaskSays));
  TRY(copy_all(captured, [&](std::string_view piece) { return file.write(piece); }));
  return file.put(files::Sync::later);
}

}  // namespace

Result<void> copy_all(const proc::Captured& captured, const Put& put) {
  if (captured.spill.empty()) return captured.head.empty() ? Result<void>() : put(captured.head);
  const Descriptor file(::open(captured.spill.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return output_failure(captured.spill, errno);
  std::string buffer(kPiece, '\0');
  for (;;) {
    LET(const std::size_t got, read_some(file, captured.spill, buffer));
    if (got == 0) return {};
    TRY(put(std::string_view(buffer).substr(0, got)));
  }
}

Result<void> copy_tagged(const proc::Captured& captured, std::string_view tag, const Put& put) {
  bool is_at_line_start = true;
  std::string tagged;
  TRY(copy_all(captured, [&](std::string_view piece) {
    tagged.clear();
    while (!piece.empty()) {
      if (is_at_line_start) tagged.append(tag).append("\t");
      const auto end = piece.find('\n');
      const std::size_t length = end == std::string_view::npos ? piece.size() : end + 1;
      tagged.append(piece.substr(0, length));
      piece.remove_prefix(length);
      is_at_line_start = end != std::string_view::npos;
    }
    return put(tagged);
  }));
  return is_at_line_start ? Result<void>() : put("\n");
}

std::string tail_of(const proc::Captured& captured, std::size_t bytes) {
  std::string tail;
  if (captured.spill.empty()) {
    tail = captured.head.substr(captured.head.size() - std::min(bytes, captured.head.size()));
  } else if (const Descriptor file(::open(captured.spill.c_str(), O_RDONLY | O_CLOEXEC));
             file.is_open()) {
    tail.resize(bytes);
    const auto from =
        static_cast<off_t>(captured.total - std::min<std::uint64_t>(captured.total, bytes));
    const ssize_t got = ::pread(file.number(), tail.data(), tail.size(), from);
    tail.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  if (tail.size() < captured.total) {
    const auto line = tail.find('\n');
    if (line != std::string::npos && line + 1 < tail.size()) tail.erase(0, line + 1);
  }
  return tail;
}

Result<void> keep_in(proc::Captured& captured, const files::HeldFolder& folder,
                     const std::string& name) {
  if (captured.total == 0) return {};
  const char* const spill = captured.spill.c_str();
  if (!captured.spill.empty() && ::renameat(AT_FDCWD, spill, folder.number(), name.c_str()) == 0) {
    captured.spill.clear();
    return {};
  }
  if (!captured.spill.empty() && errno != EXDEV) return output_failure(folder.path_of(name), errno);
  auto kept = write_in(captured, folder, name);
  if (!kept) {
    kept.error().kind = FailureKind::unwritable;
    kept.error().step = "output";
  }
  if (kept) forget(captured);
  return kept;
}

Result<void> keep_as(proc::Captured& captured, const std::string& path) {
  if (captured.total == 0) return {};
  LET(const files::Spot spot, files::spot_of(path));
  return keep_in(captured, spot.folder, spot.name);
}

void forget(proc::Captured& captured) {
  if (!captured.spill.empty()) ::unlink(captured.spill.c_str());
  captured.spill.clear();
}

}  // namespace tidemill::each
