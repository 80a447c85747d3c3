#include "tidemill/ui/term/held_sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/files/write_all.h"

namespace tidemill::term {
namespace {

constexpr const char* kStep = "open";

}  // namespace

HeldSink::HeldSink(std::string path, Bytes most, std::size_t old_files)
    : path_(std::move(path)), most_(most), old_files_(old_files) {}

Result<std::shared_ptr<HeldSink>> HeldSink::open(const std::string& path, Bytes most,
                                                 std::size_t old_files) {
  std::shared_ptr<HeldSink> sink(new HeldSink(path, most, old_files));  // NOLINT: private
  if (path.starts_with("/dev/")) {
    sink->file_ = Descriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY));
    if (!sink->file_.is_open()) return files::system_failure(errno, kStep, path);
    return sink;
  }
  const std::size_t slash = path.rfind('/');
  if (slash != std::string::npos && slash > 0) TRY(files::HeldFolder::make(path.substr(0, slash)));
  LET(auto spot, files::spot_of(path, files::LastLink::follow));
  sink->spot_ = std::make_unique<const files::Spot>(std::move(spot));
  TRY(sink->open_file());
  return sink;
}

std::string HeldSink::name_of(std::size_t age) const {
  const std::string& name = spot_->name;
  if (age == 0) return name;
  std::size_t dot = name.rfind('.');
  if (dot == 0 || dot == std::string::npos) dot = name.size();
  return name.substr(0, dot) + "." + std::to_string(age) + name.substr(dot);
}

Result<void> HeldSink::open_file() {
  constexpr int kFlags =
      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  file_ = Descriptor(::openat(spot_->folder.number(), spot_->name.c_str(), kFlags, 0666));
  struct stat seen{};
  if (!file_.is_open() || ::fstat(file_.number(), &seen) != 0) {
    return files::system_failure(errno, kStep, path_);
  }
  if (!S_ISREG(seen.st_mode)) {
    return fail(Cure::give_up, kStep, path_ + " exists, but is not a regular file");
  }
  if (seen.st_nlink > 1) {  // lines would also appear under the other name
    return fail(Cure::give_up, kStep, path_ + " has more than one hard link");
  }
  size_ = static_cast<std::uint64_t>(seen.st_size);
  return {};
}

// Fails if a file cannot be renamed: the line is then lost and counted (SpdlogLog::lost()), and the
// next line tries again.
Result<void> HeldSink::rotate() {
  const int folder = spot_->folder.number();
  for (std::size_t age = old_files_; age > 0; --age) {
    const std::string from = name_of(age - 1);
    const std::string to = name_of(age);
    if (::renameat(folder, from.c_str(), folder, to.c_str()) != 0 && errno != ENOENT) {
      return files::system_failure(errno, "rotate the log", path_);
    }
  }
  return open_file();
}

void HeldSink::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  if (spot_ && size_ > 0 && size_ + line.size() > most_.count) {
    if (const auto rotated = rotate(); !rotated) spdlog::throw_spdlog_ex(text_of(rotated.error()));
  }
  const auto written =
      files::write_all(file_.number(), std::string_view(line.data(), line.size()), path_);
  if (!written) spdlog::throw_spdlog_ex(text_of(written.error()));
  size_ += line.size();
}

}  // namespace tidemill::term
