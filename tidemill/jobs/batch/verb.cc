// The description of the verb: help, man page, completions and parsing come from here.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "tidemill/jobs/batch/options.h"
#include "tidemill/ui/redis_flags/flags.h"

namespace tidemill::batch {
namespace {

using command::Argument;
using command::Flag;
using command::ValueKind;

std::vector<Flag> more_file_flags(const std::string& group) {
  return {
      {.name = "ignore-files",
       .aliases = {"gitignore"},
       .help = "respect .gitignore and .ignore files",
       .group = group,
       .is_basic = true},
      {.name = "max-size",
       .kind = ValueKind::size,
       .metavar = "SIZE",
       .help = "skip larger files; they are recorded as skipped",
       .fallback = "16M",
       .group = group,
       .least = "1"},
  };
}

std::vector<Flag> size_flags() {
  const std::string group = "Batch size";
  return {
      {.name = "max-tokens",
       .letter = 'm',
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "token limit per batch, overhead included",
       .group = group,
       .least = "1",
       .is_basic = true},
      {.name = "tokenizer",
       .kind = ValueKind::text,
       .metavar = "NAME",
       .help = "o200k_base, cl100k_base, bytes/4 or a path",
       .fallback = "o200k_base",
       .group = group,
       .is_basic = true},
      {.name = "overhead",
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "tokens of every batch that do not come from files",
       .fallback = "0",
       .group = group},
      {.name = "overhead-template",
       .kind = ValueKind::path,
       .metavar = "FILE",
       .help = "prompt template of the workers; count what it adds to each batch",
       .group = group},
      {.name = "margin",
       .kind = ValueKind::text,
       .metavar = "R",
       .help = "fraction of the remaining token limit to use",
       .fallback_text = "1 for exact counts, 0.98 for estimates",
       .group = group},
      {.name = "max-files",
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "file limit per batch",
       .fallback = "1000",
       .group = group,
       .least = "1",
       .most = "100000"},
      {.name = "inline",
       .help = "include the contents of the files in the batches",
       .group = group},
      {.name = "paths",
       .kind = ValueKind::choice,
       .metavar = "HOW",
       .help = "paths in batches; relative ones start below DIR",
       .fallback = "absolute",
       .choices = {"absolute", "relative"},
       .group = group},
  };
}

std::vector<Flag> sink_flags() {
  const std::string group = "Output";
  std::vector<Flag> flags = {
      {.name = "to",
       .kind = ValueKind::text,
       .metavar = "SINK",
       .help = "- for JSON Lines, redis:STREAM or bullmq:QUEUE",
       .fallback = "-",
       .group = group,
       .is_basic = true},
      {.name = "redis",
       .kind = ValueKind::text,
       .metavar = "URL",
       .help = "URL without a password: redis, rediss, unix, redis+sentinel or redis+cluster",
       .fallback_text = "$REDIS_URL, or redis://127.0.0.1:6379",
       .group = group},
  };
  std::ranges::move(redis_flags::flags(group), std::back_inserter(flags));
  const std::vector<Flag> more = {
      {.name = "bull-prefix",
       .kind = ValueKind::text,
       .metavar = "PREFIX",
       .help = "prefix of BullMQ's keys; use {bull} in a cluster",
       .fallback = "bull",
       .group = group},
      {.name = "max-queued",
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "wait while more batches than this are queued; 0 = do not wait",
       .fallback = "10000",
       .group = group},
      {.name = "redis-timeout",
       .aliases = {"patience"},
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "keep trying this long when a server that answered stops answering",
       .fallback = "5m",
       .group = group},
      {.name = "settle",
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "stay this long after the last batch to resend what a server crash loses",
       .fallback = "2s",
       .group = group,
       .most = "1m"},
  };
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

std::vector<Flag> lease_flags() {
  const std::string group = "Several producers";
  return {
      {.name = "lease",
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "how long a silent producer keeps others out",
       .fallback = "30s",
       .group = group,
       .least = "100ms",
       .most = "1d"},
      {.name = "if-held",
       .kind = ValueKind::choice,
       .metavar = "WHAT",
       .help = "if another producer is running, exit 0, exit 4 or wait",
       .fallback = "leave",
       .choices = {"leave", "fail", "wait"},
       .group = group},
      {.name = "name",
       .aliases = {"job"},
       .kind = ValueKind::text,
       .metavar = "NAME",
       .help = "producers with the same name continue each other's work",
       .fallback_text = "made from DIR and the settings",
       .group = group},
      {.name = "restart",
       .help = "start over even if another producer left its work unfinished",
       .is_configurable = false,
       .group = group},
      {.name = "resend",
       .help = "replace completed and failed BullMQ jobs and queue them again",
       .is_configurable = false,
       .group = group},
  };
}

std::vector<Flag> work_flags() {
  const std::string group = "Running";
  return {
      {.name = "jobs",
       .letter = 'j',
       .aliases = {"workers", "w"},
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "threads that read and count; 0 = all cores",
       .fallback = "0",
       .group = group,
       .most = "256",
       .is_basic = true},
      {.name = "catalogue",
       .kind = ValueKind::path,
       .metavar = "FILE",
       .help = "where token counts are cached",
       .fallback_text = "catalogue.db in the state folder",
       .group = group},
      {.name = "no-catalogue", .help = "do not read or write cached counts", .group = group},
      {.name = "dry-run",
       .letter = 'n',
       .help = "print the batches; send nothing and keep no run",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "json",
       .help = "print the summary as one JSON object",
       .group = group,
       .is_basic = true},
  };
}

}  // namespace

command::Verb verb() {
  command::Verb verb{
      .name = "batch",
      .summary = "cut a tree into token-sized batches for LLM workers",
      .usage = {"tidemill batch DIR... --max-tokens N [--to SINK] [OPTIONS]",
                "tidemill batch --files-from FILE|- [-0] --max-tokens N [--to SINK] [OPTIONS]"},
      .examples = {{"tidemill batch src -m 60000 -g '*.py' --ignore-files",
                    "print batches as JSON Lines"},
                   {"tidemill batch src -m 60000 --to redis:files", "send them to a Redis stream"},
                   {"tidemill batch src -m 60000 --to bullmq:file-analysis-queue",
                    "send them as jobs for BullMQ workers"},
                   {"tidemill batch src -m 60000 --overhead-template prompt.txt -n | jq "
                    ".totalTokens",
                    "see how full they would be"},
                   {"tidemill resume last", "continue after a crash, with the same batches"}},
      .description = {"Counts the tokens of every file exactly and cuts the tree into batches in "
                      "path order: a batch ends before it would exceed --max-tokens. The same tree "
                      "gives the same batches with the same ids. A file that is too large for any "
                      "batch goes into a batch of its own, with a warning. Binary files and files "
                      "larger than --max-size are skipped; files that cannot be read fail. All of "
                      "them are recorded, and found = done + skipped + failed.",
                      "A batch is {\"id\", \"files\": [{\"path\", \"tokens\"}], \"totalTokens\"}. "
                      "It is written to the journal of the run before it is sent. After a crash of "
                      "this program, of Redis or of the network, `tidemill resume` sends what is "
                      "missing. A batch can then arrive twice, with the same id; none is lost.",
                      "Only one producer at a time sends the batches of a stream (redis:) or of a "
                      "folder (bullmq:) to Redis. It holds a lease; if it is stopped for too long, "
                      "the server refuses it and another producer continues where it was.",
                      "With --files-from the files come from a list, in its order. A name that "
                      "cannot be read is a failure; a folder in the list is skipped."},
      .arguments = {Argument{.name = "DIR", .help = "folders or single files", .is_list = true}},
  };
  verb.description.emplace_back(
      "Tokenizers: o200k_base is for GPT-4o and later, cl100k_base for GPT-4; bytes/4 is an "
      "estimate; a path names a tokenizer.json of Hugging Face.");
  const std::string which = "Files";
  for (auto flags : {jobs::list_source_flags(which), more_file_flags(which), size_flags(),
                     sink_flags(), lease_flags(), work_flags()}) {
    for (Flag& flag : flags) verb.flags.push_back(std::move(flag));
  }
  verb.works = true;
  verb.prints_meanwhile = [](const command::Values& values) { return values.text("to") == "-"; };
  return verb;
}

}  // namespace tidemill::batch
