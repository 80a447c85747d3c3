// BatchOptions: the validated, typed options of `tidemill batch`, and the description of the verb.
// They contain no secrets, because the command line and the journal that stores it must not either.
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
struct Destination {
  enum class Kind : std::uint8_t { lines, stream, bull };
  Kind kind = Kind::lines;
  std::string name{};  // of the stream or the queue

  bool operator==(const Destination&) const = default;
};

enum class Paths : std::uint8_t { absolute, relative };
// What to do when another producer holds the lease.
enum class IfHeld : std::uint8_t { leave, fail, wait };
enum class BatchOutput : std::uint8_t { text, json };

// The queue of the source document.
inline constexpr std::string_view kDefaultQueue = "file-analysis-queue";

// The defaults of the flags are in the flag descriptions, not here.
struct BatchOptions {
  std::vector<std::string> roots{};
  jobs::ListSource list{};    // names of files, instead of roots
  std::string list_name{};    // as given when the run was started: part of the job's identity
  bool is_list_lost = false;  // it came through a pipe that is gone: the rest cannot be read
  std::vector<std::string> globs{};
  std::vector<std::string> excludes{};
  bool hidden = true;
  bool gitignore = false;
  bool allow_empty = false;
  Bytes max_size{};

  std::string tokenizer{};
  std::uint64_t max_tokens = 0;
  std::uint64_t overhead = 0;      // tokens per batch
  std::string template_path{};     // a file, see prompt.h
  std::optional<double> margin{};  // empty: 1 for an exact tokenizer, 0.98 for an estimate
  std::uint64_t max_files = 0;
  bool is_inline = false;
  Paths paths = Paths::absolute;

  Destination sink{};
  std::string redis{};  // a URL without a password
  std::string password_file{};
  std::string tls_authorities{};
  std::string tls_certificate{};
  std::string tls_key{};
  std::string bull_prefix{};
  std::string job{};  // the job's name; empty: derived from the roots and the settings
  std::uint64_t max_queued = 0;
  std::chrono::milliseconds lease{};
  std::chrono::milliseconds patience{};  // how long to wait for a server that does not answer
  std::chrono::milliseconds settle{};
  IfHeld if_held = IfHeld::leave;
  bool restart = false;
  bool resend = false;  // BullMQ: also send batches that it keeps as completed or failed

  std::size_t workers = 0;  // 0: one per core
  std::string catalogue{};  // empty: counts are not cached
  bool dry_run = false;
  BatchOutput report = BatchOutput::text;
};

[[nodiscard]] command::Verb verb();
// The list of --files-from, which cannot be combined with roots or filters. Also used by `tokens`.
[[nodiscard]] Result<jobs::ListSource> list_of(const command::Values& values,
                                               const std::vector<std::string>& roots);
// Leaves `catalogue` empty: the caller sets it.
[[nodiscard]] Result<BatchOptions> options_of(const command::Values& values);

// "-", "redis:STREAM", "bullmq:QUEUE"; without a name the default queue.
[[nodiscard]] Result<Destination> sink_of(std::string_view text);

}  // namespace tidemill::batch
