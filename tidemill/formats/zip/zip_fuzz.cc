// Reads any bytes as a ZIP file: opening and reading must terminate, stay within the limits and
// read nothing out of bounds. Every readable entry can be copied to a new archive, which is then
// valid and has the same contents.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/zip/archive.h"
#include "tidemill/formats/zip/writer.h"

namespace {

using tidemill::zip::Archive;
using tidemill::zip::ArchiveLimits;
using tidemill::zip::ZipEntry;
using tidemill::zip::ZipWriter;

constexpr ArchiveLimits kLimits{
    .entry = 1U << 16U, .total = 1U << 18U, .ratio = 20, .ratio_floor = 1U << 12U, .entries = 64};

void must(bool is_so) {
  if (!is_so) std::abort();
}

void fill(int file, std::string_view bytes) {
  must(::ftruncate(file, 0) == 0);
  must(::pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
}

struct Held {
  std::string name{};
  std::string bytes{};
};

// Copies the readable entries and returns them.
std::vector<Held> copy_readable(const Archive& archive, int target) {
  must(::ftruncate(target, 0) == 0);
  ZipWriter writer(target);
  std::vector<Held> held;
  for (const ZipEntry& entry : archive.entries()) {
    auto bytes = archive.read_whole(entry, kLimits.entry);
    must(!bytes || bytes->size() <= kLimits.entry);
    (void)archive.read_head(entry, 7);
    if (!bytes || entry.name.empty()) continue;
    must(writer.copy_raw(archive, entry, entry.name, tidemill::zip::Extra::keep).has_value());
    held.push_back({.name = entry.name, .bytes = *std::move(bytes)});
  }
  must(writer.finish().has_value());
  return held;
}

}  // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int source = ::memfd_create("source", 0);
  static const int target = ::memfd_create("target", 0);
  fill(source, std::string_view(reinterpret_cast<const char*>(data), size));
  const auto archive = Archive::open(source, kLimits);
  if (!archive) return 0;
  must(archive->entries().size() <= kLimits.entries);
  const std::vector<Held> held = copy_readable(*archive, target);
  const auto copy = Archive::open(target, {});
  must(copy.has_value() && copy->oddities().empty());
  must(copy->entries().size() == held.size());
  for (std::size_t at = 0; at < held.size(); ++at) {
    const ZipEntry& entry = copy->entries()[at];
    const auto bytes = copy->read_whole(entry, kLimits.entry);
    must(entry.name == held[at].name && bytes && *bytes == held[at].bytes);
    must(copy->find(entry.name) != nullptr);
  }
  return 0;
}
