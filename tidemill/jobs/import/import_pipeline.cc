#include "tidemill/jobs/import/import_pipeline.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/quantity.h"

namespace tidemill::import {
namespace {

// One block per worker, one at the reader and one at the writer.
Bytes room_for(std::size_t workers) { return {(workers + 2) * SourceReader::kBlock.count}; }

}  // namespace

void tell_failure(const SourceFailure& failure, command::Console& console) {
  if (!console.wants_items()) return;
  console.settled({.name = failure.path,
                   .state = command::ItemState::failed,
                   .details = {text_of(failure.failure)}});
}

ImportPipeline::ImportPipeline(const ImportOptions& options, RowRules rules, Tables& tables,
                               Loader& loader, std::vector<const SourceFile*> files,
                               std::size_t workers, const command::Context& context)
    : options_(options),
      rules_(rules),
      tables_(tables),
      loader_(loader),
      files_(std::move(files)),
      workers_(workers),
      context_(context),
      flow_(room_for(workers)),
      reader_(files_, options.longest_line, flow_, context.clock, context.stop) {
  for (const SourceFile* file : files_) {
    by_number_.emplace(file->number, file);
    states_.emplace(file->number, FileState{});
  }
}

ImportPipeline::~ImportPipeline() = default;

Result<PipelineResult> ImportPipeline::run() {
  const std::stop_callback stopped(context_.stop, [this] {
    flow_.stop(Failure{.cure = Cure::resume, .step = "stopped", .reason = "stopped by the user"});
  });
  std::atomic<std::size_t> at_work = workers_;
  {
    std::vector<std::jthread> threads;
    threads.reserve(workers_ + 1);
    const auto stop = [this](Failure failure) { flow_.stop(std::move(failure)); };
    const auto start = [&](std::string_view what, auto body) -> Result<void> {
      LET(auto thread, start_thread(what, std::move(body), stop));
      threads.push_back(std::move(thread));
      return {};
    };
    auto started = start("the reader", [this] { reader_.run(); });
    for (std::size_t worker = 0; started && worker < workers_; ++worker) {
      started = start("a worker", [this, worker, &at_work] {
        work(worker);
        if (--at_work == 0) flow_.made.close();
      });
    }
    if (!started) stop(std::move(started).error());
    if (auto written = contained([this] { return write(); }); !written) {
      stop(std::move(written).error());
    }
  }
  if (auto failure = flow_.failure()) return std::unexpected(*std::move(failure));
  TRY(check_rejects(result_.counts));
  return std::move(result_);
}

void ImportPipeline::work(std::size_t worker) {
  RowMaker maker(options_, rules_, tables_, flow_.turn);
  while (auto batch = flow_.blocks.pop()) {
    RowBatch& rows = **batch;
    if (!rows.end && !rows.failure) {
      if (!maker.make(*by_number_.at(rows.file), rows)) return;
      if (!rows.is_key_broken) {
        if (auto prepared = loader_.prepare(rows, worker); !prepared) {
          return flow_.stop(std::move(prepared).error());
        }
      }
    }
    flow_.turn.done(rows.order);
    if (flow_.made.push(*std::move(batch)) != engine::Push::sent) return;
  }
}

Result<void> ImportPipeline::write() {
  std::map<std::uint64_t, BatchPtr> early;
  std::uint64_t next = 0;
  while (auto batch = flow_.made.pop()) {
    const std::uint64_t order = (*batch)->order;
    early.emplace(order, *std::move(batch));
    while (!early.empty() && early.begin()->first == next) {
      BatchPtr turn = std::move(early.begin()->second);
      early.erase(early.begin());
      ++next;
      TRY(settle(*turn));
      flow_.give_room({turn->block.size});
      flow_.recycle(std::move(turn));
    }
  }
  return {};
}

Result<void> ImportPipeline::settle(RowBatch& batch) {
  const SourceFile& file = *by_number_.at(batch.file);
  FileState& state = states_.at(batch.file);
  if (batch.reading != state.reading) {
    loader_.discard(batch);
    return {};
  }
  if (batch.end || batch.failure) return end(file, state, batch);
  const bool descends = state.has_key && batch.first_key && *batch.first_key <= state.last_key;
  if (batch.is_key_broken || descends) {
    if (!batch.is_key_broken) loader_.discard(batch);
    return restart(file, state);
  }
  return store(file, state, batch);
}

Result<void> ImportPipeline::begin(const SourceFile& file, FileState& state,
                                   const RowBatch& batch) {
  if (std::exchange(state.has_begun, true)) return {};
  return loader_.begin_file(file, batch.base);
}

Result<void> ImportPipeline::store(const SourceFile& file, FileState& state, RowBatch& batch) {
  TRY(begin(file, state, batch));
  TRY(loader_.store(batch));
  if (batch.last_key) {
    state.last_key = *batch.last_key;
    state.has_key = true;
  }
  std::uint64_t refused = 0;
  for (const TableRows& rows : batch.tables) {
    state.table_rows[rows.table] += rows.cells.rows().size() - rows.refused;
    if (rows.table == file.table) {
      refused = rows.refused;
    } else {
      batch.counts.child_rows -= rows.refused;
    }
  }
  state.counts += batch.counts;
  state.counts.rows -= refused;
  state.counts.rejected += refused;
  result_.languages_left_out |= batch.languages_left_out;
  result_.has_lists_as_text = result_.has_lists_as_text || batch.has_lists_as_text;
  if (batch.counts.rejected > 0) count_rejects(file, state, batch);
  if (refused > 0) state.rejects[{file.path, "refused by the database"}].count += refused;
  rows_ += batch.counts.rows - refused;
  // A share of few lines means little.
  constexpr std::uint64_t kEnoughLines = 10'000;
  LineCounts so_far = result_.counts;
  so_far += state.counts;
  if (options_.most_rejects.share && so_far.lines < kEnoughLines) return {};
  return check_rejects(so_far);
}

void ImportPipeline::count_rejects(const SourceFile& file, FileState& state,
                                   const RowBatch& batch) {
  std::vector<sqlite_pages::CellValue> values;
  const sqlite_pages::CellBatch& cells = batch.rejects.cells;
  for (const sqlite_pages::CellRow& row : cells.rows()) {
    values.clear();
    cells.values(row, values);
    RejectGroup& group = state.rejects[{file.path, std::string(values[3].bytes)}];
    if (group.count++ == 0) group.first_line = static_cast<std::uint64_t>(values[1].integer);
  }
}

Result<void> ImportPipeline::check_rejects(const LineCounts& counts) const {
  if (!options_.most_rejects.is_exceeded(counts.rejected, counts.lines)) return {};
  return fail(Cure::give_up, "--max-rejects",
              text::count_text(counts.rejected) + " of " + text::count_text(counts.lines) +
                  " lines were rejected, more than the limit");
}

// The keys cannot be the rowids: the file is read again, with line numbers as rowids.
Result<void> ImportPipeline::restart(const SourceFile& file, FileState& state) {
  if (state.has_begun) {
    TRY(loader_.restart_file(file));
  }
  rows_ -= state.counts.rows;
  file.table->change([](RowTable::State& table) { table.rowid = RowidFrom::line; });
  state = FileState{.reading = state.reading + 1};
  flow_.read_again({.file = file.number, .reading = state.reading});
  return {};
}

Result<void> ImportPipeline::end(const SourceFile& file, FileState& state, RowBatch& batch) {
  if (batch.failure) {
    if (state.has_begun) TRY(loader_.drop_file(file));
    rows_ -= state.counts.rows;
    result_.failures.push_back({file.path, *std::move(batch.failure)});
    tell_failure(result_.failures.back(), context_.console);
    ++files_failed_;
  } else if (batch.end) {
    TRY(begin(file, state, batch));
    batch.end->counts = state.counts;
    TRY(loader_.end_file(file, *batch.end));
    tell(file, state);
    result_.counts += state.counts;
    result_.bytes += batch.end->bytes;
    result_.done.push_back(&file);
    if (batch.end->has_changed) result_.changed.push_back(file.path);
    result_.rejects.merge(state.rejects);
    for (const auto& [table, rows] : state.table_rows) result_.table_rows[table] += rows;
    ++files_done_;
  }
  flow_.settle_file();
  return {};
}

void ImportPipeline::tell(const SourceFile& file, const FileState& state) const {
  if (!context_.console.wants_items()) return;
  command::SettledItem item{.name = file.path};
  if (!state.rejects.empty()) item.state = command::ItemState::bad;
  item.details.push_back(text::counted(state.counts.rows, "row"));
  std::string_view before = "; rejected: ";
  for (const auto& [what, group] : state.rejects) {
    const std::string& reason = what.second;
    item.details.front().append(std::exchange(before, ", "));
    item.details.front().append(text::count_text(group.count)).append(" ").append(reason);
    std::string line = reason + ": " + text::counted(group.count, "line");
    if (group.first_line > 0) line += ", first is line " + std::to_string(group.first_line);
    item.details.push_back(std::move(line));
  }
  context_.console.settled(std::move(item));
}

engine::ProgressInputs ImportPipeline::progress() {
  engine::ProgressInputs inputs;
  inputs.is_total_known = true;
  inputs.counts.found = files_.size();
  inputs.counts.done = files_done_;
  inputs.counts.failed = files_failed_;
  for (const SourceFile* file : files_) inputs.counts.found_bytes += Bytes{file->size};
  const SourceReader::Progress read = reader_.progress();
  inputs.counts.settled_bytes = read.read;
  inputs.counts.found_bytes = std::max(inputs.counts.found_bytes, read.read);
  if (read.file != nullptr) {
    inputs.workers.push_back(
        {.running = read.file->number,
         .note = read.file->path + " (" + text::counted(rows_, "row") + " so far)"});
  }
  return inputs;
}

}  // namespace tidemill::import
