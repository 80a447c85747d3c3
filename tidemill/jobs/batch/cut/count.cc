#include "tidemill/jobs/batch/cut/count.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/jobs/batch/cut/batch_pipeline.h"
#include "tidemill/jobs/batch/send/stopped.h"

namespace tidemill::batch {
namespace {

std::string shown(const BatchRoots& roots, const Cursor& at) {
  const BatchRoot& root = roots.at(at.root);
  if (roots.is_list()) return at.path;
  if (!root.only.empty()) return root.given;
  return root.given + (root.given.ends_with('/') ? "" : "/") + at.path;
}

engine::ProgressInputs progress_of(const BatchPipeline& pipeline, std::uint64_t done) {
  return {.counts = {.found = pipeline.found(),
                     .done = done,
                     .skipped = pipeline.skipped(),
                     .failed = pipeline.failed(),
                     .found_bytes = {pipeline.bytes_found()},
                     .settled_bytes = {pipeline.bytes_weighed()}},
          .is_total_known = pipeline.has_walked()};
}

// Reads at most one buffer; 0 at the end. Polls, so that a stop is seen while the user types.
Result<std::size_t> read_input(std::span<char> into, const std::stop_token& stop) {
  constexpr int kLook = 100;  // milliseconds
  while (!stop.stop_requested()) {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (::poll(&input, 1, kLook) <= 0) continue;
    const ssize_t got = ::read(STDIN_FILENO, into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR || errno == EAGAIN) continue;
    return fail(Cure::give_up, "read", "standard input: " + system_text(errno));
  }
  return stopped();
}

}  // namespace

// Makes every file a batch of its own.
Result<void> count_files(const BatchOptions& options, const std::string& tables,
                         const std::function<Result<void>(const Counted&)>& on_file,
                         const command::Context& context) {
  BatchOptions each = options;
  each.max_tokens = std::numeric_limits<std::uint64_t>::max();
  each.max_size = {std::numeric_limits<std::uint64_t>::max()};
  each.max_files = 1;
  LET(const BatchRecipe recipe, recipe_of(each, tables));
  BatchPipeline pipeline({.options = each, .recipe = recipe, .clock = context.clock});
  std::atomic<std::uint64_t> done = 0;
  LET(const auto reporter,
      engine::ProgressReporter::start(
          {}, [&] { return progress_of(pipeline, done.load()); },
          [&](const engine::ProgressSnapshot& snapshot) { context.console.show(snapshot); },
          context.clock));
  Result<void> reported;
  const auto tell = [&](const Counted& file) {
    if (file.skipped.empty() && !file.failure) ++done;
    if (reported) reported = on_file(file);
    return reported.has_value();
  };
  const auto drafted = pipeline.run(
      [&](BatchDraft&& draft) {
        for (std::size_t i = 0; i <= draft.rows.size(); ++i) {
          if (i == draft.rows_before && draft.batch) {
            const Weighed& file = draft.batch->files.front();
            if (!tell({.path = shown(recipe.roots, {.root = file.root, .path = file.path}),
                       .tokens = file.tokens,
                       .bytes = file.size})) {
              return false;
            }
          }
          if (i == draft.rows.size()) break;
          UnbatchedFile& row = draft.rows[i];
          if (!tell({.path = shown(recipe.roots, row.at),
                     .skipped = std::move(row.reason),
                     .failure = std::move(row.failure)})) {
            return false;
          }
        }
        return true;
      },
      context.stop);
  reporter->finish();
  TRY(reported);
  return drafted;
}

Result<void> count_input(const BatchOptions& options, const std::string& tables,
                         const std::function<Result<void>(const Counted&)>& on_file,
                         const command::Context& context) {
  constexpr std::size_t kBuffer = std::size_t{64} << 10U;
  LET(const auto tokenizer, tokens::open_tokenizer(options.tokenizer, tables));
  const auto counter = tokenizer->counter();
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
  Counted input{.path = "-"};
  while (true) {
    LET(const std::size_t got, read_input({buffer.get(), kBuffer}, context.stop));
    if (got == 0) break;
    const std::string_view part(buffer.get(), got);
    const std::size_t look = kBinaryLook - std::min<std::size_t>(input.bytes, kBinaryLook);
    if (part.substr(0, look).contains('\0')) {
      input.skipped = name_of(Passed::binary);
      (void)counter->finish();
      return on_file(input);
    }
    counter->feed(part);
    input.bytes += got;
  }
  input.tokens = counter->finish();
  return on_file(input);
}

}  // namespace tidemill::batch
