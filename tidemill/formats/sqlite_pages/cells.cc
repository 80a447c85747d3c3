#include "tidemill/formats/sqlite_pages/cells.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "tidemill/formats/sqlite_pages/format.h"

namespace tidemill::sqlite_pages {
namespace {

// SQLite's serial types: the type and length of a column's body.
constexpr std::uint64_t kNull = 0;
constexpr std::uint64_t kReal = 7;
constexpr std::uint64_t kZero = 8;
constexpr std::uint64_t kOne = 9;
constexpr std::uint64_t kAbsent = 10;
constexpr std::uint64_t kBlob = 12;  // plus twice the size
constexpr std::uint64_t kText = 13;

// Indexed by the bytes that an integer needs with its sign, minus one.
constexpr std::uint8_t kSerials[] = {1, 2, 3, 4, 5, 5, 6, 6};
// Indexed by serial type. (Not inside a function: g++ would copy it to the stack for every call.)
constexpr std::uint8_t kWidths[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};

std::uint64_t serial_of(std::int64_t integer) {
  if (integer == 0 || integer == 1) return kZero + static_cast<std::uint64_t>(integer);
  const auto bits = static_cast<std::uint64_t>(integer < 0 ? ~integer : integer);
  return kSerials[static_cast<unsigned>(std::bit_width(bits)) / 8];
}

unsigned width_of(std::uint64_t serial) { return kWidths[serial]; }

std::uint64_t big_endian(std::uint64_t number) {
  return std::endian::native == std::endian::big ? number : std::byteswap(number);
}

// Writes the last `width` bytes of the number. It stores eight bytes: extent_of() has room for
// them.
char* put_body(char* at, std::uint64_t number, unsigned width) {
  if (width == 0) return at;
  number = big_endian(number << (64 - 8 * width));
  std::memcpy(at, &number, sizeof number);
  return at + width;
}

std::uint64_t serial_of(const CellValue& value, bool keeps_absent) {
  switch (value.type) {
    case CellType::absent:
      return keeps_absent ? kAbsent : kNull;
    case CellType::null:
      return kNull;
    case CellType::integer:
      return serial_of(value.integer);
    case CellType::real:
      return std::isnan(value.real) ? kNull : kReal;  // SQLite stores NaN as NULL
    case CellType::text:
      return kText + 2 * value.bytes.size();
    case CellType::blob:
      return kBlob + 2 * value.bytes.size();
  }
  return kNull;
}

bool has_bytes(const CellValue& value) {
  return value.type == CellType::text || value.type == CellType::blob;
}

// The columns that must be stored, and an upper bound of their bytes in the buffer.
struct Extent {
  std::size_t columns = 0;
  std::size_t bytes = 2 * kLongestVarint;
};

Extent extent_of(std::span<const CellValue> values, bool keeps_absent) {
  Extent extent{.columns = values.size()};
  const auto is_needless = [&](const CellValue& value) {
    return value.type == CellType::absent || (value.type == CellType::null && !keeps_absent);
  };
  while (extent.columns > 0 && is_needless(values[extent.columns - 1])) --extent.columns;
  for (const CellValue& value : values.first(extent.columns)) {
    extent.bytes += kLongestVarint + sizeof(std::int64_t);
    if (has_bytes(value) && value.bytes.size() < kLarge) extent.bytes += value.bytes.size();
  }
  return extent;
}

// The header includes its own size: one byte up to 127, then more.
char* put_header(char* start, std::span<const CellValue> values, bool keeps_absent) {
  char* end = start + 1;
  for (const CellValue& value : values) end = put_varint(end, serial_of(value, keeps_absent));
  // SQLite treats a record without columns as damaged.
  if (values.empty()) *end++ = static_cast<char>(keeps_absent ? kAbsent : kNull);
  const auto size = static_cast<std::size_t>(end - start);
  if (size < 0x80) {
    *start = static_cast<char>(size);
    return end;
  }
  const std::size_t more = size + 1 < 0x4000 ? 1 : 2;  // a header of 2 MiB cannot occur
  std::memmove(start + 1 + more, start + 1, size - 1);
  put_varint(start, size + more);
  return end + more;
}

std::int64_t read_integer(const char* at, unsigned width) {
  std::uint64_t number = (static_cast<unsigned char>(*at) & 0x80U) != 0 ? ~0ULL : 0ULL;
  for (unsigned i = 0; i < width; ++i) number = number << 8U | static_cast<unsigned char>(at[i]);
  return static_cast<std::int64_t>(number);
}

CellType type_of(std::uint64_t serial) {
  if (serial >= kBlob) return serial % 2 == 0 ? CellType::blob : CellType::text;
  if (serial == kNull) return CellType::null;
  if (serial == kAbsent) return CellType::absent;
  return serial == kReal ? CellType::real : CellType::integer;
}

CellValue small_value(std::uint64_t serial, const char* body) {
  CellValue value{.type = type_of(serial)};
  if (serial >= kBlob) {
    value.bytes = {body, static_cast<std::size_t>((serial - kBlob) / 2)};
  } else if (serial == kZero || serial == kOne) {
    value.integer = static_cast<std::int64_t>(serial - kZero);
  } else if (serial == kReal) {
    value.real = std::bit_cast<double>(read_integer(body, width_of(serial)));
  } else if (value.type == CellType::integer) {
    value.integer = read_integer(body, width_of(serial));
  }
  return value;
}

}  // namespace

void CellBatch::add(std::int64_t rowid, std::span<const CellValue> values) {
  const Extent extent = extent_of(values, keeps_absent_);
  const auto columns = values.first(extent.columns);
  CellRow row{.rowid = rowid, .at = bytes_.size()};
  row.first_large = static_cast<std::uint32_t>(larges_.size());
  bytes_.resize_and_overwrite(row.at + extent.bytes, [&](char* buffer, std::size_t) {
    char* const start = buffer + row.at;
    char* at = put_header(start, columns, keeps_absent_);
    for (const CellValue& value : columns) {
      if (has_bytes(value)) {
        if (value.bytes.size() >= kLarge) {
          larges_.push_back({.at = static_cast<std::size_t>(at - start), .bytes = value.bytes});
          row.payload += value.bytes.size();
        } else if (!value.bytes.empty()) {
          std::memcpy(at, value.bytes.data(), value.bytes.size());
          at += value.bytes.size();
        }
      } else if (value.type == CellType::integer) {
        at = put_body(at, static_cast<std::uint64_t>(value.integer),
                      width_of(serial_of(value.integer)));
      } else if (value.type == CellType::real && !std::isnan(value.real)) {
        at = put_body(at, std::bit_cast<std::uint64_t>(value.real), sizeof(double));
      }
    }
    row.small = static_cast<std::uint32_t>(at - start);
    return row.at + row.small;
  });
  row.payload += row.small;
  row.larges = static_cast<std::uint32_t>(larges_.size()) - row.first_large;
  rows_.push_back(row);
}

void CellBatch::clear() {
  bytes_.clear();
  rows_.clear();
  larges_.clear();
}

void CellBatch::cut(std::size_t rows) {
  if (rows >= rows_.size()) return;
  const CellRow& first = rows_[rows];
  bytes_.resize(first.at);
  larges_.resize(first.first_large);
  rows_.resize(rows);
}

void CellBatch::pieces(const CellRow& row, std::vector<std::string_view>& pieces) const {
  pieces.clear();
  const std::string_view small = payload(row);
  std::size_t done = 0;
  for (const Large& large : std::span(larges_).subspan(row.first_large, row.larges)) {
    if (large.at > done) pieces.push_back(small.substr(done, large.at - done));
    pieces.push_back(large.bytes);
    done = large.at;
  }
  if (done < small.size()) pieces.push_back(small.substr(done));
}

void CellBatch::values(const CellRow& row, std::vector<CellValue>& values) const {
  values.clear();
  const char* const start = bytes_.data() + row.at;
  std::uint64_t size = 0;
  const char* header = read_varint(start, size);
  const char* body = start + size;
  std::size_t large = row.first_large;
  for (const char* const end = body; header < end;) {
    std::uint64_t serial = 0;
    header = read_varint(header, serial);
    const std::size_t bytes = serial < kBlob ? 0 : (serial - kBlob) / 2;
    if (bytes >= kLarge) {
      values.push_back({.type = type_of(serial), .bytes = larges_[large++].bytes});
    } else {
      values.push_back(small_value(serial, body));
      body += bytes + (serial < kBlob ? width_of(serial) : 0);
    }
  }
}

}  // namespace tidemill::sqlite_pages
