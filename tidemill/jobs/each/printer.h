// Printer: puts the outputs of finished tasks where the user wants them: one whole output after the
// other, never mixed; with --keep-order in the order of the names; with --results into files.
//
// An output that has to wait for its turn stays in memory while little waits, and in a file when
// much does.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/command/console.h"
#include "tidemill/jobs/each/feeder.h"

namespace tidemill::each {

// One thread, the sink's; only keep() by anybody.
class Printer {
 public:
  static constexpr Bytes kMostInMemory = mib(16);

  Printer(const Options& options, std::string spill_folder, command::Console& console)
      : options_(options), spill_folder_(std::move(spill_folder)), console_(console) {}

  // With --results, before the outcome is noted anywhere: the output as files. By any thread. A
  // failure with Cure::retry may be tried again.
  [[nodiscard]] Result<void> keep(Piece& piece) const;

  // What was kept is on the disk when it returns: once a batch, so that a done mark is never older
  // than the files it stands for.
  [[nodiscard]] Result<void> sync() const;

  // After the task is marked done.
  [[nodiscard]] Result<void> print(EachPipeline::Item&& item);

  // No more will come: what still waits for its turn is printed.
  [[nodiscard]] Result<void> finish();

 private:
  [[nodiscard]] Result<void> write(Piece& piece) const;
  [[nodiscard]] Result<void> hold(Piece&& piece);

  const Options& options_;
  const std::string spill_folder_;
  command::Console& console_;
  std::uint64_t next_ = 0;  // the sequence whose turn it is
  std::map<std::uint64_t, Piece> waiting_;
  Bytes held_{};
};

}  // namespace tidemill::each
