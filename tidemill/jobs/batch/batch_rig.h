// Test fixture that runs the complete job on a real folder and a real journal.
#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/clock.h"
#include "tidemill/base/log.h"
#include "tidemill/jobs/batch/batch.h"
#include "tidemill/jobs/batch/cut/tree_rig.h"
#include "tidemill/jobs/batch/send/start.h"
#include "tidemill/state/run/run.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::batch {

class BatchTest : public TreeTest {
 protected:
  BatchTest() {
    options_.roots = {base_ + "/tree"};
    options_.tokenizer = "bytes/4";
    options_.max_tokens = 40;
    options_.margin = 1;
    options_.max_files = 4;
    options_.max_size = mib(16);
    options_.bull_prefix = "bull";
    options_.max_queued = 10'000;
    options_.lease = std::chrono::seconds(30);
    options_.patience = std::chrono::minutes(5);
    options_.settle = std::chrono::seconds(2);
    options_.workers = 2;
    options_.gitignore = true;  // so that an oversized ignore file makes a folder unreadable
    options_.excludes = {".gitignore"};
  }

  // 90 files in batches and a large one, 6 skipped, a folder that cannot be read.
  void grow(int files = 90) const {
    for (int i = 0; i < files; ++i) {
      write("d" + std::to_string(i % 5) + "/\xff\n" + std::to_string(i),
            std::string(static_cast<std::size_t>(i * 37 % 90), 'x'));
      if (i % 15 == 0) write("d" + std::to_string(i % 7) + "/b" + std::to_string(i), {"\0", 1});
    }
    write("d2/bad/.gitignore", std::string(2'000'000, '#'));
    write("d2/bad/one", "1");
    write("d2/bad/two", "2");
    write("d4/large", std::string(1'000, 'l'));
  }

  void create() {
    auto run = run::Run::create(run::StateFolder(base_ + "/state"),
                                {.job = "batch", .directory = base_}, clock_);
    ASSERT_TRUE(run) << text_of(run.error());
    run_ = *std::move(run);
  }
  void reopen() {
    const run::RunFolder folder = run_->folder();
    run_.reset();
    open(folder);
  }
  void open(const run::RunFolder& folder) {
    auto run = run::Run::open(folder, clock_);
    ASSERT_TRUE(run) << text_of(run.error());
    run_ = *std::move(run);
  }
  Result<BatchOutcome> work_with(command::Console& console, const std::stop_token& stop = {}) {
    command::Context context{.console = console, .log = log_, .clock = clock_, .stop = stop};
    return work(options_, {}, *run_, context);
  }
  // The lines of an undisturbed --dry-run.
  [[nodiscard]] std::vector<std::string> rehearsed() {
    testing::RecordingConsole console;
    command::Context context{.console = console, .log = log_, .clock = clock_};
    const auto outcome = rehearse(options_, {}, context);
    EXPECT_TRUE(outcome) << text_of(outcome.error());
    return lines_of(console.said().out);
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  [[nodiscard]] std::vector<std::string> printed() const {
    std::ifstream in(base_ + "/out", std::ios::binary);
    return lines_of({std::istreambuf_iterator<char>(in), {}});
  }
  // No line is lost, and lines that occur twice are equal.
  static void expect_same_set(const std::vector<std::string>& seen,
                              const std::vector<std::string>& wanted) {
    const std::set all(seen.begin(), seen.end());
    const std::set right(wanted.begin(), wanted.end());
    std::vector<std::string> wrong;
    std::ranges::set_symmetric_difference(all, right, std::back_inserter(wrong));
    EXPECT_TRUE(wrong.empty()) << wrong.size() << " lost or never asked for, as " << wrong.front();
  }

  BatchOptions options_;
  SystemClock clock_;
  SilentLog log_;
  std::unique_ptr<run::Run> run_;
};

}  // namespace tidemill::batch
