#include "tidemill/jobs/dupes/scan/foreign.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <map>
#include <system_error>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/walk/is_within.h"
#include "tidemill/state/catalogue/catalogue.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::dupes {
namespace {

std::string own_host() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// Adds the files of one catalogue to the table. One thread.
class Import {
 public:
  Import(const DupesOptions& options, const ForeignContext& context, std::size_t number,
         catalogue::Catalogue source)
      : options_(options), context_(context), number_(number), source_(std::move(source)) {}

  Result<void> run() {
    LET(const auto about, source_.about());
    host_ = about.host;
    LET(const auto roots, source_.roots());
    for (const auto& root : roots) {
      roots_[root.id] = root.path;
      const walk::FolderId id = context_.tree.add_root(root.path, Descriptor());
      folders_of_roots_[root.id] = id;
      const std::size_t next = context_.roots.empty() ? 0 : context_.roots.back().number + 1;
      context_.roots.push_back(
          {.folder = id,
           .number = std::max(next, options_.roots.size() + options_.references.size()),
           .path = root.path,
           .host = host_});
    }
    std::optional<Failure> cause;
    TRY(source_.each_file(std::nullopt, [&](const catalogue::FileRow& row) {
      auto taken = take(row);
      if (!taken) cause = std::move(taken).error();
      return !cause;
    }));
    if (cause) return std::unexpected(*std::move(cause));
    return {};
  }

 private:
  Result<void> take(const catalogue::FileRow& row) {
    const std::uint64_t size = row.note.stamp.size;
    if (row.note.is_removed || !row.note.error.empty()) return {};
    if (size < options_.least_size || size > options_.most_size) return {};
    if (row.folder != key_) TRY(enter(row));
    if (is_own_) return {};
    FileRecord* const record = context_.table.add(context_.lane, row.note.name);
    if (record == nullptr) return fail(Cure::give_up, "scan", "too many files");
    record->size = size;
    record->inode = row.note.stamp.inode;
    record->mtime_ns = row.note.stamp.mtime_ns;
    record->ctime_ns = row.note.stamp.ctime_ns;
    record->folder = folder_;
    record->blocks = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(row.note.blocks, std::numeric_limits<std::uint32_t>::max()));
    record->links = static_cast<std::uint16_t>(
        std::min<std::uint32_t>(row.note.links, std::numeric_limits<std::uint16_t>::max()));
    const auto device = context_.table.device_index(without_host(row.note.stamp.device) |
                                                    (std::uint64_t{number_} << kHostShift));
    if (!device) return fail(Cure::give_up, "scan", "too many devices");
    record->device = *device;
    record->set(kForeign);
    return take_hashes(row.note, *record);
  }

  Result<void> take_hashes(const catalogue::FileNote& note, FileRecord& record) {
    if (note.edges.size() == record.key.size()) {
      std::memcpy(record.key.data(), note.edges.data(), record.key.size());
      record.set(kEdges);
    }
    const hash::Algorithm algorithm = context_.table.algorithm();
    const bool is_known = note.algorithm == static_cast<std::uint8_t>(algorithm) &&
                          note.hash.size() == hash::width_of(algorithm);
    if (!is_known || context_.table.set_whole(record, note.hash)) return {};
    return fail(Cure::give_up, "scan", "too many hashes");
  }

  // A folder is added as one name below its root, however deep it is: it is never opened.
  Result<void> enter(const catalogue::FileRow& row) {
    key_ = row.folder;
    LET(const std::string_view path, source_.folder_path(row.folder));
    is_own_ =
        host_ == own_host() && std::ranges::any_of(context_.real, [&](const std::string& root) {
          return walk::is_within(path, root);
        });
    if (is_own_) return {};
    const std::string& root = roots_[row.root];
    std::string_view below = path.substr(std::min(path.size(), root.size()));
    while (below.starts_with('/')) below.remove_prefix(1);
    const walk::FolderId parent = folders_of_roots_[row.root];
    folder_ = below.empty() ? parent : context_.tree.add(parent, below);
    return {};
  }

  const DupesOptions& options_;
  const ForeignContext& context_;
  const std::size_t number_;
  catalogue::Catalogue source_;
  std::string host_;
  std::map<std::int64_t, std::string> roots_;
  std::map<std::int64_t, walk::FolderId> folders_of_roots_;
  catalogue::FolderKey key_ = 0;
  walk::FolderId folder_ = 0;
  bool is_own_ = false;
};

std::string escaped(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f && byte != '%') {
      text += c;
      continue;
    }
    text += '%';
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      bytes += text[i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, wrong] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() < 2 || wrong != std::errc() || end != digits.data() + 2) return std::nullopt;
    bytes += static_cast<char>(value);
    i += 2;
  }
  return bytes;
}

std::string_view cut(std::string_view& line) {
  const std::size_t tab = std::min(line.find('\t'), line.size());
  const std::string_view field = line.substr(0, tab);
  line.remove_prefix(std::min(tab + 1, line.size()));
  return field;
}

std::optional<WantedFile> file_in(std::string_view line) {
  WantedFile file;
  const auto host = unescaped(cut(line));
  file.algorithm = std::string(cut(line));
  const std::string_view size = cut(line);
  const auto path = unescaped(line);
  const auto [end, wrong] = std::from_chars(size.data(), size.data() + size.size(), file.size);
  if (!host || !path || path->empty() || wrong != std::errc() || end != size.data() + size.size()) {
    return std::nullopt;
  }
  file.host = *host;
  file.path = *path;
  return file;
}

}  // namespace

Result<void> add_foreign(const DupesOptions& options, const ForeignContext& context) {
  if (options.with.size() > kMostCatalogues) {
    return command::misuse("--with takes at most 255 catalogues");
  }
  std::size_t number = 0;
  for (const std::string& path : options.with) {
    LET(auto source, catalogue::Catalogue::open(path, catalogue::Catalogue::Access::read));
    TRY(Import(options, context, ++number, std::move(source)).run());
  }
  return {};
}

std::string wanted_line(const WantedFile& file) {
  return escaped(file.host) + '\t' + file.algorithm + '\t' + std::to_string(file.size) + '\t' +
         escaped(file.path) + '\n';
}

Result<std::vector<WantedFile>> wanted_files(std::string_view text) {
  if (!text.starts_with(kWantedHeading)) {
    return fail(Cure::give_up, "wanted", "not a list written by tidemill dupes --wanted");
  }
  text.remove_prefix(kWantedHeading.size());
  std::vector<WantedFile> files;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    auto file = file_in(text.substr(0, end));
    if (!file) {
      return fail(Cure::give_up, "wanted",
                  "line " + std::to_string(files.size() + 2) + " is invalid");
    }
    files.push_back(*std::move(file));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return files;
}

}  // namespace tidemill::dupes
