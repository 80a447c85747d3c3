// CellBatch: rows of one table in SQLite's record format, collected before they are written.
//
//   payload   [header size][serial type of column 1]…[body of column 1]…      (the record format)
//
// Both writers use the same bytes: the page builder copies them to leaves unchanged, the SQL writer
// reads the values back and binds them. A text or blob of kLarge bytes or more is not copied: the
// cell points to it, and the caller of add() keeps it alive. A row may have fewer columns than its
// table: SQLite reads the missing ones as NULL, so a column that is found late costs nothing for
// the rows before it.
//
// CellType::absent is our own type: a field that was not in the record, for the writer that updates
// only the fields given. In the payload it is serial type 10, which SQLite reserves and never
// stores. The page builder never gets it: it is stored as NULL unless `keeps_absent`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::sqlite_pages {

enum class CellType : std::uint8_t { absent, null, integer, real, text, blob };

struct CellValue {
  CellType type = CellType::absent;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view bytes{};  // of text and blob
};

inline constexpr std::size_t kLarge = std::size_t{64} * 1024;

struct CellRow {
  std::int64_t rowid = 0;
  std::uint64_t payload = 0;      // bytes, including the large values
  std::size_t at = 0;             // offset of its small bytes in the buffer
  std::uint32_t small = 0;        // bytes of the payload in the buffer
  std::uint32_t first_large = 0;  // index of its first large value
  std::uint32_t larges = 0;
};

// One thread at a time.
class CellBatch {
 public:
  explicit CellBatch(bool keeps_absent = false) : keeps_absent_(keeps_absent) {}

  // Omits absent values at the end of the row, and nulls too unless absent values are kept. The
  // first column is always stored.
  void add(std::int64_t rowid, std::span<const CellValue> values);
  void clear();                // keeps the memory
  void cut(std::size_t rows);  // keeps only the first `rows` rows

  [[nodiscard]] const std::vector<CellRow>& rows() const { return rows_; }
  [[nodiscard]] bool is_empty() const { return rows_.empty(); }
  [[nodiscard]] std::size_t memory() const {
    return bytes_.capacity() + rows_.capacity() * sizeof(CellRow);
  }

  // Sets `pieces` to the parts of the payload in order, small and large.
  void pieces(const CellRow& row, std::vector<std::string_view>& pieces) const;
  // The payload of a row without large values.
  [[nodiscard]] std::string_view payload(const CellRow& row) const {
    return {bytes_.data() + row.at, row.small};
  }

  // Reads back the stored values. The views are valid as long as the batch is unchanged.
  void values(const CellRow& row, std::vector<CellValue>& values) const;

 private:
  struct Large {
    std::size_t at = 0;  // inserted before this byte of the row's small bytes
    std::string_view bytes{};
  };

  std::string bytes_{};
  std::vector<CellRow> rows_{};
  std::vector<Large> larges_{};
  bool keeps_absent_ = false;
};

}  // namespace tidemill::sqlite_pages
