#include "tidemill/formats/zip/archive.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <utility>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/zip/central_directory.h"
#include "tidemill/formats/zip/inflater.h"
#include "tidemill/formats/zip/local_headers.h"
#include "tidemill/formats/zip/records.h"
#include "tidemill/formats/zip/salvage.h"
#include "tidemill/formats/zip/window.h"

namespace tidemill::zip {

struct Archive::State {
  int fd = -1;
  std::uint64_t file_size = 0;
  ArchiveLimits limits{};
  std::vector<ZipEntry> entries{};
  std::vector<Oddity> oddities{};
  std::string comment{};
  std::string first_bytes{};
  std::vector<std::size_t> by_name{};  // indices, sorted by name, then by index

  // The most bytes inflated of each entry so far; reading an entry twice counts once.
  std::vector<std::uint64_t> counted{};
  std::uint64_t total = 0;
  std::unique_ptr<Inflater> spare{};  // moved out while in use: a sink may read another entry

  void note(Oddity::Kind kind, std::string text) {
    oddities.push_back({.kind = kind, .text = std::move(text)});
  }
  [[nodiscard]] Result<void> load();
  [[nodiscard]] Result<void> load_by_salvage();
  void index_names();
  [[nodiscard]] Result<void> allow(const ZipEntry& entry, std::uint64_t size, std::uint64_t& own);
};

Result<void> Archive::State::load() {
  LET(CentralDirectory directory, read_central_directory(fd, file_size, limits));
  using Kind = Oddity::Kind;
  if (directory.state != CentralDirectory::State::whole) {
    if (directory.state == CentralDirectory::State::missing) {
      note(Kind::no_central_directory, "there is no central directory");
    } else {
      note(Kind::central_is_damaged, directory.problem);
    }
    return load_by_salvage();
  }
  entries = std::move(directory.entries);
  comment = std::move(directory.comment);
  if (directory.has_too_many) {
    note(Kind::too_many_entries,
         "only the first " + std::to_string(entries.size()) + " entries are checked");
  } else if (directory.claimed != entries.size()) {
    note(Kind::count_differs, "the end record counts " + std::to_string(directory.claimed) +
                                  " entries, there are " + std::to_string(entries.size()));
  }
  const std::vector<std::size_t> order = file_order(entries);
  TRY(read_local_headers(fd, directory.start, entries, order, oddities));
  look_at_places(directory.start, entries, order, oddities);
  if (directory.end < file_size) {
    note(Kind::bytes_after, std::to_string(file_size - directory.end) + " bytes after the archive");
  }
  return {};
}

Result<void> Archive::State::load_by_salvage() {
  LET(Salvaged salvaged, salvage(fd, file_size, limits));
  entries = std::move(salvaged.entries);
  if (entries.empty()) {
    if (file_size < kLocalSize) {
      return fail(Cure::give_up, FailureKind::truncated, "short", "this is not a ZIP file");
    }
    return fail(Cure::give_up, "zip", "this is not a ZIP file");
  }
  if (salvaged.has_too_many) {
    note(Oddity::Kind::too_many_entries,
         "only the first " + std::to_string(entries.size()) + " entries are checked");
  }
  if (entries.front().header > 0) {
    note(Oddity::Kind::bytes_before,
         std::to_string(entries.front().header) + " bytes before the archive");
  }
  return {};
}

void Archive::State::index_names() {
  by_name.resize(entries.size());
  std::iota(by_name.begin(), by_name.end(), std::size_t{0});
  std::ranges::sort(by_name, {}, [this](std::size_t at) {
    return std::pair<std::string_view, std::size_t>(entries[at].name, at);
  });
  counted.assign(entries.size(), 0);
}

// Counts the inflated bytes of an entry against the limits; `own`: already counted for this entry.
Result<void> Archive::State::allow(const ZipEntry& entry, std::uint64_t size, std::uint64_t& own) {
  const auto over = [&](FailureKind kind, const char* step, const std::string& what) {
    return fail(Cure::give_up, kind, step, "\"" + entry.name + "\" " + what);
  };
  if (size > limits.entry) {
    return over(FailureKind::over_limit, "limit",
                "expands to more than " + std::to_string(limits.entry) + " bytes");
  }
  if (size > own) {
    total += size - own;
    own = size;
  }
  if (total > limits.total) {
    return over(
        FailureKind::bomb, "ratio",
        "and those before it expand to more than " + std::to_string(limits.total) + " bytes");
  }
  if (total > limits.ratio_floor && total / limits.ratio > file_size) {
    return over(FailureKind::bomb, "ratio",
                "and those before it expand to more than " + std::to_string(limits.ratio) +
                    " times the size of the file");
  }
  return {};
}

Archive::Archive(std::unique_ptr<State> state) : state_(std::move(state)) {}
Archive::Archive(Archive&&) noexcept = default;
Archive& Archive::operator=(Archive&&) noexcept = default;
Archive::~Archive() = default;

Result<Archive> Archive::open(int fd, ArchiveLimits limits) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) {
    return fail(Cure::give_up, FailureKind::unreadable, "open", system_text(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(Cure::give_up, FailureKind::unreadable, "open", "this is not a regular file");
  }
  auto state = std::make_unique<State>();
  state->fd = fd;
  state->file_size = static_cast<std::uint64_t>(status.st_size);
  state->limits = limits;
  state->first_bytes.resize(64);
  LET(const std::size_t got, read_at(fd, 0, state->first_bytes));
  state->first_bytes.resize(got);
  TRY(state->load());
  state->index_names();
  return Archive(std::move(state));
}

const std::vector<ZipEntry>& Archive::entries() const { return state_->entries; }
const std::vector<Oddity>& Archive::oddities() const { return state_->oddities; }
std::uint64_t Archive::file_size() const { return state_->file_size; }
std::string_view Archive::comment() const { return state_->comment; }
const ArchiveLimits& Archive::limits() const { return state_->limits; }
std::string_view Archive::first_bytes() const { return state_->first_bytes; }

const ZipEntry* Archive::find(std::string_view name) const {
  const auto& by_name = state_->by_name;
  const auto name_of = [this](std::size_t at) -> std::string_view {
    return state_->entries[at].name;
  };
  const auto behind = std::ranges::upper_bound(by_name, name, {}, name_of);
  if (behind == by_name.begin() || name_of(*(behind - 1)) != name) return nullptr;
  return &state_->entries[*(behind - 1)];
}

Result<void> Archive::read(const ZipEntry& entry, const Sink& sink) const {
  return read_in_parts(entry, sink, Inflater::kPart);
}

Result<void> Archive::read_in_parts(const ZipEntry& entry, const Sink& sink,
                                    std::size_t part) const {
  const auto failed = [&](FailureKind kind, const char* step, const char* what) {
    return fail(Cure::give_up, kind, step, "\"" + entry.name + "\" " + what);
  };
  if (entry.data == 0) return failed(FailureKind::other, "read", "has no local header");
  if (entry.is_encrypted()) {
    return failed(FailureKind::encrypted, "encrypted", "uses ZIP encryption");
  }
  if (entry.method != 0 && entry.method != 8) {
    return failed(FailureKind::other, "method", "uses an unknown compression method");
  }
  const bool is_ours = std::less_equal<>()(state_->entries.data(), &entry) &&
                       std::less<>()(&entry, state_->entries.data() + state_->entries.size());
  std::uint64_t counted_here = 0;
  std::uint64_t& own =
      is_ours ? state_->counted[static_cast<std::size_t>(&entry - state_->entries.data())]
              : counted_here;
  bool is_over = false;  // the failure of the guard already names the entry
  const auto guard = [&](std::uint64_t size) {
    auto allowed = state_->allow(entry, size, own);
    is_over = !allowed;
    return allowed;
  };
  const Packed source{.fd = state_->fd, .offset = entry.data, .length = entry.packed};
  auto inflater = std::exchange(state_->spare, nullptr);
  if (!inflater) inflater = std::make_unique<Inflater>();
  auto unpacked = entry.method == 0 ? inflater->copy(source, guard, sink, part)
                                    : inflater->inflate(source, guard, sink, part);
  state_->spare = std::move(inflater);
  if (!unpacked) {
    if (!is_over) unpacked.error().reason = "\"" + entry.name + "\": " + unpacked.error().reason;
    return std::unexpected(std::move(unpacked).error());
  }
  if (!unpacked->is_whole || !entry.is_size_known) return {};
  if (unpacked->size != entry.size) {
    return failed(FailureKind::corrupt, "size", "does not have the size its header claims");
  }
  if (unpacked->crc != entry.crc) {
    return failed(FailureKind::corrupt, "crc", "does not have the checksum its header claims");
  }
  return {};
}

Result<void> Archive::read_raw(const ZipEntry& entry, const Sink& sink) const {
  if (entry.data == 0) {
    return fail(Cure::give_up, "read", "\"" + entry.name + "\" has no local header");
  }
  Inflater inflater;  // not the spare one: the sink may use it
  const auto guard = [](std::uint64_t) -> Result<void> { return {}; };
  TRY(inflater.copy({.fd = state_->fd, .offset = entry.data, .length = entry.packed}, guard, sink));
  return {};
}

Result<std::string> Archive::read_local_extra(const ZipEntry& entry) const {
  std::string extra(entry.local_extra, '\0');
  if (entry.data < extra.size()) extra.clear();
  LET(const std::size_t got, read_at(state_->fd, entry.data - extra.size(), extra));
  extra.resize(got);
  return extra;
}

Result<std::string> Archive::read_whole(const ZipEntry& entry, std::uint64_t most) const {
  std::string whole;
  bool is_over = false;
  TRY(read(entry, [&](std::string_view part) {
    is_over = part.size() > most - whole.size();
    if (!is_over) whole += part;
    return !is_over;
  }));
  if (is_over) {
    return fail(Cure::give_up, FailureKind::over_limit, "limit",
                "\"" + entry.name + "\" is larger than " + std::to_string(most) + " bytes");
  }
  return whole;
}

Result<std::string> Archive::read_head(const ZipEntry& entry, std::size_t most) const {
  std::string head;
  const auto sink = [&](std::string_view part) {
    head += part.substr(0, most - head.size());
    return head.size() < most;
  };
  TRY(read_in_parts(entry, sink, std::clamp<std::size_t>(most, 512, Inflater::kPart)));
  return head;
}

}  // namespace tidemill::zip
