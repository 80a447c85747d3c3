// Cells: rows of one table as SQLite stores them, gathered before they are written.
//
//   payload   [header size][serial type of column 1]…[body of column 1]…      (the record format)
//
// The same bytes serve both writers: the page builder lays them on leaves as they are, the SQL
// writer reads the values back and binds them. A text of kLarge bytes or more is not copied: the
// cell points to where it lies, and who added it keeps it alive. A row's columns are those of the
// table's beginning: what it does not reach, SQLite reads as NULL, so a column found late costs the
// rows before it nothing.
//
// Value::absent is ours: a field that was not in the record, for the writer that updates only what
// is given. In the payload it is serial type 10, which SQLite reserves and never stores; the page
// builder never sees one (it is stored as NULL unless `keeps_absent`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::sqlite_pages {

enum class Type : std::uint8_t { absent, null, integer, real, text, blob };

struct Value {
  Type type = Type::absent;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view bytes{};  // of text and blob
};

inline constexpr std::size_t kLarge = std::size_t{64} * 1024;

struct Row {
  std::int64_t rowid = 0;
  std::uint64_t payload = 0;      // bytes, the large values included
  std::size_t at = 0;             // of the small bytes
  std::uint32_t small = 0;        // bytes of it that lie in the buffer
  std::uint32_t first_large = 0;  // index of its first large value
  std::uint32_t larges = 0;
};

// One thread; may be handed from one to the next.
class Cells {
 public:
  explicit Cells(bool keeps_absent = false) : keeps_absent_(keeps_absent) {}

  // Columns behind the last value that is not absent are left away, nulls too unless absent ones
  // are kept; the first always stays.
  void add(std::int64_t rowid, std::span<const Value> values);
  void clear();                // and keeps the memory
  void cut(std::size_t rows);  // only the first so many stay

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] bool is_empty() const { return rows_.empty(); }
  [[nodiscard]] std::size_t memory() const {
    return bytes_.capacity() + rows_.capacity() * sizeof(Row);
  }

  // The payload as it would lie in one piece: `pieces` gets it in order, small and large in turn.
  void pieces(const Row& row, std::vector<std::string_view>& pieces) const;
  // The payload of a row without large values.
  [[nodiscard]] std::string_view payload(const Row& row) const {
    return {bytes_.data() + row.at, row.small};
  }

  // The values back, as many as were stored. Views are good as long as the cells are.
  void values(const Row& row, std::vector<Value>& values) const;

 private:
  struct Large {
    std::size_t at = 0;  // it comes before this byte of the row's small ones
    std::string_view bytes{};
  };

  std::string bytes_{};
  std::vector<Row> rows_{};
  std::vector<Large> larges_{};
  bool keeps_absent_ = false;
};

}  // namespace tidemill::sqlite_pages
