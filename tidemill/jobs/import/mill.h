// Mill: runs the threads of an import, from the first block to the last row.
//
//   Reader (1) ──► RowMaker + Loader::prepare (N workers) ──► Loader::store (the caller's thread)
//
// The caller's thread is the writer. It takes the batches in the order of the blocks, whatever
// order they come in, so that what is stored does not depend on the threads. What it sees of a file
// (a key that does not ascend, an end, a failure) it settles there and then.
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

// What came of the files that were read.
struct Milled {
  LineCounts counts{};
  std::uint64_t bytes = 0;  // decompressed
  std::vector<const SourceFile*> done{};
  std::map<const Table*, std::uint64_t> table_rows{};
  std::vector<FileFailure> failures{};
  std::map<std::pair<std::string, std::string>, RejectGroup> rejects{};  // by file and reason
  std::uint32_t languages_left_out = 0;
  bool has_lists_as_text = false;
  std::vector<std::string> changed{};  // files that were written to while they were read
};

// For a console that shows single files.
void tell_failure(const FileFailure& failure, command::Console& console);

// One thread, but for progress().
class Mill {
 public:
  Mill(const Options& options, RowRules rules, Tables& tables, Loader& loader,
       std::vector<const SourceFile*> files, std::size_t workers, const command::Context& context);
  ~Mill();

  // Cure::resume with step "stopped": the user wanted it.
  [[nodiscard]] Result<Milled> run();

  [[nodiscard]] engine::ProgressInputs progress();

 private:
  struct FileState {
    std::uint32_t reading = 0;
    bool has_begun = false;
    std::int64_t last_key = 0;
    bool has_key = false;
    LineCounts counts{};
    std::map<const Table*, std::uint64_t> table_rows{};
    std::map<std::pair<std::string, std::string>, RejectGroup> rejects{};
  };

  void work(std::size_t worker);
  [[nodiscard]] Result<void> write();
  [[nodiscard]] Result<void> settle(Batch& batch);
  [[nodiscard]] Result<void> store(const SourceFile& file, FileState& state, Batch& batch);
  [[nodiscard]] Result<void> restart(const SourceFile& file, FileState& state);
  [[nodiscard]] Result<void> begin(const SourceFile& file, FileState& state, const Batch& batch);
  [[nodiscard]] Result<void> end(const SourceFile& file, FileState& state, Batch& batch);
  [[nodiscard]] Result<void> check_rejects(const LineCounts& counts) const;
  static void count_rejects(const SourceFile& file, FileState& state, const Batch& batch);
  void tell(const SourceFile& file, const FileState& state) const;

  const Options& options_;
  const RowRules rules_;
  Tables& tables_;
  Loader& loader_;
  const std::vector<const SourceFile*> files_;
  const std::size_t workers_;
  const command::Context& context_;
  Flow flow_;
  Reader reader_;
  std::map<std::size_t, const SourceFile*> by_number_{};
  std::map<std::size_t, FileState> states_{};
  Milled milled_{};
  std::atomic<std::uint64_t> rows_ = 0;
  std::atomic<std::uint64_t> files_done_ = 0;
  std::atomic<std::uint64_t> files_failed_ = 0;
};

}  // namespace tidemill::import
