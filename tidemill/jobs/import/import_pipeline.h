// ImportPipeline: runs the threads of an import, from the first block to the last row.
//
//   Reader (1) ──► RowMaker + Loader::prepare (N workers) ──► Loader::store (the caller's thread)
//
// The caller's thread is the writer. It processes the batches in the order of the blocks, in
// whatever order they arrive, so that the result does not depend on the threads. It also handles
// the events of a file in that order: a key that does not ascend, its end, a failure.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/progress.h"
#include "tidemill/jobs/import/flow.h"
#include "tidemill/jobs/import/loader.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/read/reader.h"
#include "tidemill/jobs/import/read/source_file.h"
#include "tidemill/jobs/import/read/sources.h"
#include "tidemill/jobs/import/rows/maker.h"
#include "tidemill/jobs/import/rows/tables.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::import {

struct RejectGroup {
  std::uint64_t count = 0;
  std::uint64_t first_line = 0;
};

// The result for the files that were read.
struct PipelineResult {
  LineCounts counts{};
  std::uint64_t bytes = 0;  // decompressed
  std::vector<const SourceFile*> done{};
  std::map<const RowTable*, std::uint64_t> table_rows{};
  std::vector<SourceFailure> failures{};
  std::map<std::pair<std::string, std::string>, RejectGroup> rejects{};  // by file and reason
  std::uint32_t languages_left_out = 0;
  bool has_lists_as_text = false;
  std::vector<std::string> changed{};  // files that changed while being read
};

// Reports the file, if the console shows single files.
void tell_failure(const SourceFailure& failure, command::Console& console);

// One thread, except progress(), which is thread-safe.
class ImportPipeline {
 public:
  ImportPipeline(const ImportOptions& options, RowRules rules, Tables& tables, Loader& loader,
                 std::vector<const SourceFile*> files, std::size_t workers,
                 const command::Context& context);
  ~ImportPipeline();

  // Cure::resume with step "stopped": the user stopped it.
  [[nodiscard]] Result<PipelineResult> run();

  [[nodiscard]] engine::ProgressInputs progress();

 private:
  struct FileState {
    std::uint32_t reading = 0;
    bool has_begun = false;
    std::int64_t last_key = 0;
    bool has_key = false;
    LineCounts counts{};
    std::map<const RowTable*, std::uint64_t> table_rows{};
    std::map<std::pair<std::string, std::string>, RejectGroup> rejects{};
  };

  void work(std::size_t worker);
  [[nodiscard]] Result<void> write();
  [[nodiscard]] Result<void> settle(RowBatch& batch);
  [[nodiscard]] Result<void> store(const SourceFile& file, FileState& state, RowBatch& batch);
  [[nodiscard]] Result<void> restart(const SourceFile& file, FileState& state);
  [[nodiscard]] Result<void> begin(const SourceFile& file, FileState& state, const RowBatch& batch);
  [[nodiscard]] Result<void> end(const SourceFile& file, FileState& state, RowBatch& batch);
  [[nodiscard]] Result<void> check_rejects(const LineCounts& counts) const;
  static void count_rejects(const SourceFile& file, FileState& state, const RowBatch& batch);
  void tell(const SourceFile& file, const FileState& state) const;

  const ImportOptions& options_;
  const RowRules rules_;
  Tables& tables_;
  Loader& loader_;
  const std::vector<const SourceFile*> files_;
  const std::size_t workers_;
  const command::Context& context_;
  Flow flow_;
  SourceReader reader_;
  std::map<std::size_t, const SourceFile*> by_number_{};
  std::map<std::size_t, FileState> states_{};
  PipelineResult result_{};
  std::atomic<std::uint64_t> rows_ = 0;
  std::atomic<std::uint64_t> files_done_ = 0;
  std::atomic<std::uint64_t> files_failed_ = 0;
};

}  // namespace tidemill::import
