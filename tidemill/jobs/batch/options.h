// Options: what `tidemill batch` was asked to do, checked and typed; and the description of the
// verb that asks for it. Secrets are not among them: they never stand on a command line, nor in the
// journal that keeps one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/tasks/list_source.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::batch {

// Where batches go.
struct Sink {
  enum class Kind : std::uint8_t { lines, stream, bull };
  Kind kind = Kind::lines;
  std::string name{};  // of the stream or the queue

  bool operator==(const Sink&) const = default;
};

enum class Paths : std::uint8_t { absolute, relative };
// What to do when another producer is at work.
enum class IfHeld : std::uint8_t { leave, fail, wait };
enum class Report : std::uint8_t { text, json };

// The queue of the source document.
inline constexpr std::string_view kDefaultQueue = "file-analysis-queue";

// The defaults of flags are not here: they stand in the descriptions of the flags.
struct Options {
  std::vector<std::string> roots{};
  jobs::ListSource list{};    // names of files, instead of roots
  std::string list_name{};    // as the run was started with: the job is known by it
  bool is_list_lost = false;  // it came through a pipe that is gone: what was read of it is all
  std::vector<std::string> globs{};
  std::vector<std::string> excludes{};
  bool hidden = true;
  bool gitignore = false;
  bool allow_empty = false;
  Bytes max_size{};

  std::string tokenizer{};
  std::uint64_t max_tokens = 0;
  std::uint64_t overhead = 0;      // tokens a batch
  std::string template_path{};     // a file, see prompt.h
  std::optional<double> margin{};  // nothing: 1 for an exact tokenizer, 0.98 for an estimate
  std::uint64_t max_files = 0;
  bool is_inline = false;
  Paths paths = Paths::absolute;

  Sink sink{};
  std::string redis{};  // a URL without a password
  std::string password_file{};
  std::string tls_authorities{};
  std::string tls_certificate{};
  std::string tls_key{};
  std::string bull_prefix{};
  std::string job{};  // a name for what is batched; empty: made from the roots and the settings
  std::uint64_t max_queued = 0;
  std::chrono::milliseconds lease{};
  std::chrono::milliseconds patience{};  // with a server that does not answer
  std::chrono::milliseconds settle{};
  IfHeld if_held = IfHeld::leave;
  bool restart = false;
  bool resend = false;  // to BullMQ: also what it keeps as completed or failed

  std::size_t workers = 0;  // 0: one a core
  std::string catalogue{};  // empty: counts are not remembered
  bool dry_run = false;
  Report report = Report::text;
};

[[nodiscard]] command::Verb verb();
// The list of --files-from, which no root and no filter goes with. Also of `tokens`.
[[nodiscard]] Result<jobs::ListSource> list_of(const command::Values& values,
                                               const std::vector<std::string>& roots);
// The catalogue is left to the program, which knows where it is.
[[nodiscard]] Result<Options> options_of(const command::Values& values);

// "-", "redis:STREAM", "bullmq:QUEUE"; without a name the default queue.
[[nodiscard]] Result<Sink> sink_of(std::string_view text);

}  // namespace tidemill::batch
