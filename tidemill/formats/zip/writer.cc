#include "tidemill/formats/zip/writer.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/zip/records.h"

namespace tidemill::zip {
namespace {

constexpr std::size_t kBuffer = 256U << 10U;
constexpr std::uint16_t kFirstDate = 1U << 5U | 1U;  // 1980-01-01
constexpr std::uint16_t kUnix = 3U << 8U | 20U;
constexpr std::uint32_t kPlainFile = 0100644U << 16U;
constexpr std::uint16_t kUtf8 = 1U << 11U;
constexpr std::uint16_t kZip64Id = 1;

// Builds a record from little-endian numbers and text. One thread.
class Record {
 public:
  explicit Record(std::string_view mark) : bytes_(mark) {}

  Record& u16(std::uint64_t value) { return number(value, 2); }
  Record& u32(std::uint64_t value) { return number(value, 4); }
  Record& u64(std::uint64_t value) { return number(value, 8); }
  Record& text(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  Record& number(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i) {
      bytes_ += static_cast<char>(static_cast<unsigned char>(value >> (8U * i)));
    }
    return *this;
  }

  std::string bytes_;
};

std::uint64_t capped(std::uint64_t value) { return std::min<std::uint64_t>(value, kFull32); }

std::uint16_t version_of(const ZipEntry& entry, bool is_zip64) {
  if (is_zip64) return 45;
  return entry.method == 0 ? 10 : 20;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Raw deflate, always with the same settings.
Result<std::string> deflated(std::string_view bytes) {
  z_stream stream{};
  if (::deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return fail(Cure::give_up, "deflate", "zlib: not enough memory");
  }
  std::string in;  // zlib takes a pointer to non-const bytes
  std::string out;
  int code = Z_OK;
  while (code == Z_OK) {
    if (stream.avail_in == 0 && !bytes.empty()) {
      in = bytes.substr(0, kBuffer);
      stream.next_in = reinterpret_cast<Bytef*>(in.data());
      stream.avail_in = static_cast<uInt>(in.size());
      bytes.remove_prefix(in.size());
    }
    const std::size_t start = out.size();
    const std::size_t room = std::min(kBuffer, in.size() + 64);
    out.resize(start + room);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + start);
    stream.avail_out = static_cast<uInt>(room);
    code = ::deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    out.resize(start + room - stream.avail_out);
  }
  ::deflateEnd(&stream);
  return out;
}

// The extra field without the ZIP64 field. Invalid bytes at its end are dropped.
std::string without_zip64(std::string_view extra) {
  std::string kept;
  while (extra.size() >= 4 && extra.size() - 4 >= u16(extra, 2)) {
    const std::string_view field = extra.substr(0, std::size_t{4} + u16(extra, 2));
    if (u16(extra, 0) != kZip64Id) kept += field;
    extra.remove_prefix(field.size());
  }
  return kept;
}

}  // namespace

struct ZipWriter::State {
  int fd = -1;
  std::uint64_t offset = 0;  // of the next byte, including the bytes in `waiting`
  std::string waiting{};
  std::vector<ZipEntry> entries{};

  [[nodiscard]] Result<void> put(std::string_view bytes);
  [[nodiscard]] Result<void> flush();
  [[nodiscard]] Result<void> begin(ZipEntry entry, std::string_view extra);
  [[nodiscard]] Result<void> add(ZipEntry entry, std::string_view packed);
  [[nodiscard]] Result<void> put_central(const ZipEntry& entry);
  [[nodiscard]] Result<void> put_end(std::uint64_t start, std::uint64_t size);
};

Result<void> ZipWriter::State::put(std::string_view bytes) {
  waiting += bytes;
  offset += bytes.size();
  if (waiting.size() >= kBuffer) return flush();
  return {};
}

Result<void> ZipWriter::State::flush() {
  std::string_view left = waiting;
  while (!left.empty()) {
    const auto at = static_cast<off_t>(offset - left.size());
    const ssize_t done = ::pwrite(fd, left.data(), left.size(), at);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      return fail(Cure::give_up, FailureKind::unwritable, "write", system_text(errno));
    }
    left.remove_prefix(static_cast<std::size_t>(done));
  }
  waiting.clear();
  return {};
}

// Writes the local header; the data of the entry follows.
Result<void> ZipWriter::State::begin(ZipEntry entry, std::string_view extra) {
  if (entry.name.empty() || entry.name.size() > kFull16) {
    return fail(Cure::give_up, "name", "a name must have 1 to 65535 bytes");
  }
  entry.header = offset;
  entry.flags = static_cast<std::uint16_t>(entry.flags & ~kHasDescriptor);
  const bool is_zip64 = entry.packed >= kFull32 || entry.size >= kFull32;
  Record field("");
  if (is_zip64) field.u16(kZip64Id).u16(16).u64(entry.size).u64(entry.packed);
  // The extra field is dropped if it does not fit beside the ZIP64 field.
  if (field.bytes().size() + extra.size() <= kFull16) field.text(extra);
  Record header(kLocalMark);
  header.u16(version_of(entry, is_zip64)).u16(entry.flags).u16(entry.method);
  header.u16(entry.dos_time).u16(entry.dos_date).u32(entry.crc);
  header.u32(is_zip64 ? kFull32 : entry.packed).u32(is_zip64 ? kFull32 : entry.size);
  header.u16(entry.name.size()).u16(field.bytes().size()).text(entry.name).text(field.bytes());
  TRY(put(header.bytes()));
  entries.push_back(std::move(entry));
  return {};
}

Result<void> ZipWriter::State::add(ZipEntry entry, std::string_view packed) {
  entry.flags = is_ascii(entry.name) ? 0 : kUtf8;
  entry.packed = packed.size();
  TRY(begin(std::move(entry), {}));
  return put(packed);
}

Result<void> ZipWriter::State::put_central(const ZipEntry& entry) {
  Record field("");
  if (entry.size >= kFull32) field.u64(entry.size);
  if (entry.packed >= kFull32) field.u64(entry.packed);
  if (entry.header >= kFull32) field.u64(entry.header);
  const bool is_zip64 = !field.bytes().empty();
  Record record(kCentralMark);
  record.u16(entry.made_by).u16(version_of(entry, is_zip64)).u16(entry.flags).u16(entry.method);
  record.u16(entry.dos_time).u16(entry.dos_date).u32(entry.crc);
  record.u32(capped(entry.packed)).u32(capped(entry.size)).u16(entry.name.size());
  record.u16(is_zip64 ? 4 + field.bytes().size() : 0);
  record.u16(0).u16(0).u16(0).u32(entry.external).u32(capped(entry.header)).text(entry.name);
  if (is_zip64) record.u16(kZip64Id).u16(field.bytes().size()).text(field.bytes());
  return put(record.bytes());
}

Result<void> ZipWriter::State::put_end(std::uint64_t start, std::uint64_t size) {
  const std::uint64_t count = entries.size();
  if (count >= kFull16 || start >= kFull32 || size >= kFull32) {
    const std::uint64_t at = offset;
    Record end(kEnd64Mark);
    end.u64(kEnd64Size - 12).u16(kUnix + 25U).u16(45).u32(0).u32(0);
    end.u64(count).u64(count).u64(size).u64(start);
    TRY(put(end.bytes()));
    TRY(put(Record(kLocatorMark).u32(0).u64(at).u32(1).bytes()));
  }
  const std::uint64_t shown = std::min<std::uint64_t>(count, kFull16);
  return put(Record(kEndMark)
                 .u16(0)
                 .u16(0)
                 .u16(shown)
                 .u16(shown)
                 .u32(capped(size))
                 .u32(capped(start))
                 .u16(0)
                 .bytes());
}

ZipWriter::ZipWriter(int fd) : state_(std::make_unique<State>()) { state_->fd = fd; }
ZipWriter::~ZipWriter() = default;

Result<void> ZipWriter::add_stored(std::string_view name, std::string_view bytes) {
  return state_->add({.name = std::string(name),
                      .size = bytes.size(),
                      .crc = crc_of(bytes),
                      .made_by = kUnix,
                      .dos_date = kFirstDate,
                      .external = kPlainFile},
                     bytes);
}

Result<void> ZipWriter::add_deflated(std::string_view name, std::string_view bytes) {
  LET(const std::string packed, deflated(bytes));
  return state_->add({.name = std::string(name),
                      .size = bytes.size(),
                      .crc = crc_of(bytes),
                      .method = 8,
                      .made_by = kUnix,
                      .dos_date = kFirstDate,
                      .external = kPlainFile},
                     packed);
}

Result<void> ZipWriter::copy_raw(const Archive& archive, const ZipEntry& entry,
                                 std::string_view new_name, Extra extra) {
  if (entry.is_encrypted()) {
    return fail(Cure::give_up, FailureKind::encrypted, "encrypted",
                "\"" + entry.name + "\" uses ZIP encryption");
  }
  ZipEntry copy = entry;
  copy.name = new_name;
  if (!entry.is_size_known) {
    LET(const std::string bytes, archive.read_whole(entry, archive.limits().entry));
    LET(const std::string packed, deflated(bytes));
    copy.method = 8;
    copy.size = bytes.size();
    copy.crc = crc_of(bytes);
    return state_->add(std::move(copy), packed);
  }
  if (new_name != entry.name) {
    copy.flags = static_cast<std::uint16_t>(copy.flags & ~kUtf8);
    if (!is_ascii(new_name)) copy.flags = static_cast<std::uint16_t>(copy.flags | kUtf8);
  }
  std::string kept;
  if (extra == Extra::keep) {
    LET(const std::string local, archive.read_local_extra(entry));
    kept = without_zip64(local);
  }
  TRY(state_->begin(std::move(copy), kept));
  Result<void> written;
  TRY(archive.read_raw(entry, [&](std::string_view part) {
    written = state_->put(part);
    return written.has_value();
  }));
  return written;
}

Result<std::uint64_t> ZipWriter::finish() {
  const std::uint64_t start = state_->offset;
  for (const ZipEntry& entry : state_->entries) TRY(state_->put_central(entry));
  TRY(state_->put_end(start, state_->offset - start));
  TRY(state_->flush());
  return state_->offset;
}

}  // namespace tidemill::zip
