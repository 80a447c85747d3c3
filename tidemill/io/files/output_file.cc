#include "tidemill/io/files/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/files/write_all.h"

namespace tidemill::files {
namespace {

// Never replaces a folder, a FIFO or a device.
Result<void> require_replaceable(const Spot& spot, const std::string& path) {
  struct stat seen{};
  if (::fstatat(spot.folder.number(), spot.name.c_str(), &seen, AT_SYMLINK_NOFOLLOW) != 0) {
    return {};
  }
  if (S_ISREG(seen.st_mode)) return {};
  return fail(Cure::give_up, "write", path + " exists, but is not a regular file");
}

}  // namespace

Result<OutputFile> OutputFile::begin(const std::string& path) {
  OutputFile output;
  output.path_ = path;
  if (path.starts_with("/dev/")) {
    output.device_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (!output.device_.is_open()) return system_failure(errno, "write", path);
    return output;
  }
  LET(Spot spot, spot_of(path, LastLink::follow));
  TRY(require_replaceable(spot, path));
  output.spot_ = std::make_unique<Spot>(std::move(spot));
  LET(auto file, NewFile::begin(output.spot_->folder, output.spot_->name, kAsTheUmaskSays));
  output.file_.emplace(std::move(file));
  return output;
}

Result<void> OutputFile::write(std::string_view bytes) {
  if (file_) return file_->write(bytes);
  return write_all(device_.number(), bytes, path_);
}

Result<void> OutputFile::keep() { return file_ ? file_->put() : Result<void>(); }

Result<void> write_file(const std::string& path, std::string_view bytes) {
  LET(auto file, OutputFile::begin(path));
  TRY(file.write(bytes));
  return file.keep();
}

}  // namespace tidemill::files
