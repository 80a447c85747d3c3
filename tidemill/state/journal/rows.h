// The rows that the queries of JournalReader return, and their conversion to records. Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/io/store/db.h"

namespace tidemill::journal {

// Aliases of the tables: k task, y type, f folder, w wait, t trouble (the failures), c checkpoint.
inline constexpr std::string_view kJoins =
    " left join type y on y.id = k.type left join folder f on f.id = k.folder"
    " left join wait w on w.task = k.id left join trouble t on t.task = k.id"
    " left join checkpoint c on c.task = k.id";

inline constexpr std::string_view kTaskColumns =
    "k.id, k.state, k.attempts, k.crashes, y.name, f.path, k.name, k.weight, k.outcome,"
    " w.not_before_us, t.cure, t.step, t.reason, t.hint, t.wish_ms, t.first_us, t.last_us,"
    " c.steps_done, k.checksum, w.checksum";
// After those of a task.
inline constexpr std::string_view kLetterColumns = ", c.last_step, c.data, c.warnings, c.checksum";

// Rows in the order of the columns above.
template <class... More>
using TaskRowWith =
    std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::string, std::string,
               std::string, std::int64_t, std::string, std::optional<std::int64_t>,
               std::optional<std::int64_t>, std::string, std::string, std::string, std::int64_t,
               std::int64_t, std::int64_t, std::optional<std::int64_t>, std::optional<std::int64_t>,
               std::optional<std::int64_t>, More...>;
using TaskRow = TaskRowWith<>;
using LetterRow = TaskRowWith<std::string, std::string, std::string, std::optional<std::int64_t>>;
using CheckpointRow = std::tuple<std::int64_t, std::int64_t, std::string, std::string, std::string,
                                 std::optional<std::int64_t>>;

// Fails when the row has an invalid value or a wrong checksum. `has_checksums` is false for a file
// of format version 1.
[[nodiscard]] Result<engine::TaskRecord> record_of(TaskRow row, bool has_checksums);
[[nodiscard]] Result<engine::Letter> record_of(LetterRow row, bool has_checksums);
[[nodiscard]] Result<engine::Checkpoint> record_of(CheckpointRow row, bool has_checksums);

template <class Record>
struct RowTraits;
template <>
struct RowTraits<engine::TaskRecord> : std::type_identity<TaskRow> {};
template <>
struct RowTraits<engine::Letter> : std::type_identity<LetterRow> {};
template <>
struct RowTraits<engine::Checkpoint> : std::type_identity<CheckpointRow> {};
template <class Record>
using RowOf = typename RowTraits<Record>::type;

// Statement::rows() with the columns given as a tuple.
template <class Row, class Args, class Each>
[[nodiscard]] Result<void> each_row(store::Statement& statement, const Args& args, Each each) {
  return [&]<class... Columns>(std::type_identity<std::tuple<Columns...>>) {
    return statement.rows<Columns...>(
        args, [&](Columns... columns) { each(Row(std::move(columns)...)); });
  }(std::type_identity<Row>{});
}

}  // namespace tidemill::journal
