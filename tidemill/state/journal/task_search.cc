#include "tidemill/state/journal/task_search.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::journal {
namespace {

using engine::TaskId;
using engine::TaskState;

constexpr std::size_t kRowsBetweenQuestions = 256;

void append_in_lower_case(std::string& text, std::string_view more) {
  for (const char c : more) {
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
}

// Only these two states have an index. In other states SQLite would read on until it finds a row,
// and nobody could stop it: so it returns all rows.
std::string query_of(const TaskSearch& search) {
  const bool has_text = !search.text.empty();
  std::string sql = has_text ? "select k.id, k.state, f.path, k.name from task k"
                             : "select k.id, k.state, null, null from task k";
  std::string where;
  if (search.state == TaskState::pending) {
    sql += " indexed by task_pending";
    where = " where k.state = 0 and k.id > ?";
  } else if (search.state == TaskState::dead) {
    sql += " indexed by task_dead";
    where = " where k.state = 3 and k.id > ?";
  } else {
    sql += " not indexed";
    where = " where k.id > ?";
  }
  if (has_text) sql += " left join folder f on f.id = k.folder";
  return sql + where + " order by k.id";
}

}  // namespace

Result<FoundIds> search_ids(store::Db& db, const TaskSearch& search,
                            const std::function<bool()>& may_go_on) {
  LET(auto statement, db.prepare(query_of(search)));
  std::string wanted;
  append_in_lower_case(wanted, search.text);
  FoundIds found{.searched_to = search.after, .is_over = true};
  std::string subject;
  std::size_t rows = 0;
  const auto is_match = [&](std::int64_t state, std::string_view folder, std::string_view name) {
    if (search.state && static_cast<std::int64_t>(*search.state) != state) return false;
    if (wanted.empty()) return true;
    subject.clear();
    append_in_lower_case(subject, folder);
    append_in_lower_case(subject, name);
    return subject.contains(wanted);
  };
  const auto after = static_cast<std::int64_t>(std::min(search.after, engine::kLastTaskId));
  TRY((statement.rows_while<std::int64_t, std::int64_t, std::string_view, std::string_view>(
      std::tuple(after),
      [&](std::int64_t id, std::int64_t state, std::string_view folder, std::string_view name) {
        // Here is one more task: is there time and room for it?
        const bool is_asked = ++rows % kRowsBetweenQuestions == 0;
        if (found.ids.size() >= search.limit || (is_asked && !may_go_on())) {
          return found.is_over = false;
        }
        found.searched_to = static_cast<TaskId>(id);
        if (is_match(state, folder, name)) found.ids.push_back(found.searched_to);
        return true;
      })));
  return found;
}

}  // namespace tidemill::journal
