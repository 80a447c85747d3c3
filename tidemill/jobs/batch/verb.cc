// The description of the verb: help, man page, completions and parsing come from here.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "tidemill/jobs/batch/options.h"
#include "tidemill/ui/command/file_flags.h"
#include "tidemill/ui/redis_flags/flags.h"

namespace tidemill::batch {
namespace {

using command::Argument;
using command::Flag;
using command::Kind;

std::vector<Flag> more_file_flags(const std::string& group) {
  return {
      {.name = "gitignore",
       .help = "leave out what .gitignore and .ignore files say",
       .group = group},
      {.name = "max-size",
       .kind = Kind::size,
       .metavar = "SIZE",
       .help = "pass over larger files; they are recorded",
       .fallback = "16M",
       .group = group,
       .least = "1"},
      command::allow_empty_flag(group),
  };
}

std::vector<Flag> size_flags() {
  const std::string group = "How large";
  return {
      {.name = "max-tokens",
       .letter = 'n',
       .kind = Kind::count,
       .metavar = "N",
       .help = "the most that a batch may have, with all overhead; a larger file goes alone",
       .group = group,
       .least = "1"},
      {.name = "tokenizer",
       .kind = Kind::text,
       .metavar = "NAME",
       .help = "o200k_base (GPT-4o and later), cl100k_base (GPT-4), bytes/4, or the path of a "
               "tokenizer.json",
       .fallback = "o200k_base",
       .group = group},
      {.name = "overhead",
       .kind = Kind::count,
       .metavar = "N",
       .help = "tokens of every batch that are not from files",
       .fallback = "0",
       .group = group},
      {.name = "overhead-template",
       .kind = Kind::path,
       .metavar = "FILE",
       .help = "the prompt that a worker makes of a batch, to count what it adds",
       .group = group},
      {.name = "margin",
       .kind = Kind::text,
       .metavar = "R",
       .help = "use this share of what is left",
       .fallback_text = "1 for exact counts, 0.98 for estimates",
       .group = group},
      {.name = "max-files",
       .kind = Kind::count,
       .metavar = "N",
       .help = "the most files of a batch",
       .fallback = "1000",
       .group = group,
       .least = "1",
       .most = "100000"},
      {.name = "inline", .help = "put the contents of the files into the batches", .group = group},
      {.name = "paths",
       .kind = Kind::choice,
       .metavar = "HOW",
       .help = "paths in batches: from the root of the file system, or below DIR",
       .fallback = "absolute",
       .choices = {"absolute", "relative"},
       .group = group},
  };
}

std::vector<Flag> sink_flags() {
  const std::string group = "Where to";
  std::vector<Flag> flags = {
      {.name = "to",
       .kind = Kind::text,
       .metavar = "SINK",
       .help = "- for JSON lines, redis:STREAM, or bullmq:QUEUE",
       .fallback = "-",
       .group = group},
      {.name = "redis",
       .kind = Kind::text,
       .metavar = "URL",
       .help = "redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://, without a "
               "password",
       .fallback_text = "$REDIS_URL, or redis://127.0.0.1:6379",
       .group = group},
  };
  std::ranges::move(redis_flags::flags(group), std::back_inserter(flags));
  const std::vector<Flag> more = {
      {.name = "bull-prefix",
       .kind = Kind::text,
       .metavar = "PREFIX",
       .help = "of BullMQ's keys; {bull} in a cluster",
       .fallback = "bull",
       .group = group},
      {.name = "max-queued",
       .kind = Kind::count,
       .metavar = "N",
       .help = "wait while more batches than this are queued; 0: never wait",
       .fallback = "10000",
       .group = group},
  };
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

std::vector<Flag> lease_flags() {
  const std::string group = "Several producers";
  return {
      {.name = "lease",
       .kind = Kind::duration,
       .metavar = "TIME",
       .help = "how long a producer that is not heard of keeps others out",
       .fallback = "30s",
       .group = group,
       .least = "100ms",
       .most = "1d"},
      {.name = "if-held",
       .kind = Kind::choice,
       .metavar = "WHAT",
       .help = "when another producer is at work: leave with success, fail (4), or wait for it",
       .fallback = "leave",
       .choices = {"leave", "fail", "wait"},
       .group = group},
      {.name = "job",
       .kind = Kind::text,
       .metavar = "NAME",
       .help = "producers with the same name go on for each other",
       .fallback_text = "made from DIR and the settings",
       .group = group},
      {.name = "restart",
       .help = "begin anew, though another producer left the job unfinished",
       .is_configurable = false,
       .group = group},
      {.name = "resend",
       .help = "enqueue completed and failed BullMQ jobs again; they are replaced",
       .is_configurable = false,
       .group = group},
      {.name = "patience",
       .kind = Kind::duration,
       .metavar = "TIME",
       .help = "with a server that has answered before and does not any more",
       .fallback = "5m",
       .group = group},
      {.name = "settle",
       .kind = Kind::duration,
       .metavar = "TIME",
       .help = "stay so long after the last batch, to send again what a crash of the server loses",
       .fallback = "2s",
       .group = group,
       .most = "1m"},
  };
}

std::vector<Flag> work_flags() {
  const std::string group = "How";
  return {
      {.name = "workers",
       .letter = 'w',
       .kind = Kind::count,
       .metavar = "N",
       .help = "threads that read and count; 0: one a core",
       .fallback = "0",
       .group = group,
       .most = "256"},
      {.name = "catalogue",
       .kind = Kind::path,
       .metavar = "FILE",
       .help = "where counts are remembered",
       .fallback_text = "catalogue.db in the state folder",
       .group = group},
      {.name = "no-catalogue", .help = "count everything, remember nothing", .group = group},
      {.name = "dry-run",
       .help = "cut and print the batches; send nothing, and keep no run",
       .is_configurable = false,
       .group = group},
      {.name = "json", .help = "the summary as one JSON object on standard output", .group = group},
  };
}

}  // namespace

command::Verb verb() {
  command::Verb verb{
      .name = "batch",
      .summary = "cut a tree into batches of so many tokens, for workers of language models",
      .usage = {"tidemill batch DIR... --max-tokens N [--to SINK] [OPTIONS]"},
      .examples = {{"tidemill batch src -n 60000 -g '*.py' --gitignore", "batches as JSON lines"},
                   {"tidemill batch src -n 60000 --to redis:files", "into a Redis stream"},
                   {"tidemill batch src -n 60000 --to bullmq:file-analysis-queue",
                    "as jobs for BullMQ workers"},
                   {"tidemill batch src -n 60000 --overhead-template prompt.txt --dry-run | jq "
                    ".totalTokens",
                    "how full they would be"},
                   {"tidemill resume last", "go on after a crash, with the same batches"}},
      .description =
          {"Counts the tokens of every file, exactly, and cuts the tree into batches in the order "
           "of its paths: a batch ends before it would pass --max-tokens. The same tree gives the "
           "same batches with the same ids. A file that is too large for any batch goes alone, "
           "with "
           "a warning. Binary files and files above --max-size are skipped, files that cannot be "
           "read fail; each is recorded, and found = batched + skipped + failed.",
           "A batch is {\"id\", \"files\": [{\"path\", \"tokens\"}], \"totalTokens\"}. Before it "
           "is "
           "sent it is in the journal of the run; after a crash of this program, of Redis or of "
           "the network, `tidemill resume` sends what is missing. A batch can arrive twice then, "
           "with the same id; none is lost.",
           "Into Redis only one producer at a time sends the batches of a stream (redis:) or of a "
           "folder (bullmq:). It holds a lease; one that was stopped for too long is refused by "
           "the server, and another goes on where it was."},
      .arguments = {Argument{.name = "DIR", .help = "folders, or single files", .is_list = true}},
  };
  const std::string which = "Which files";
  for (auto flags : {command::file_flags(which), more_file_flags(which), size_flags(), sink_flags(),
                     lease_flags(), work_flags()}) {
    for (Flag& flag : flags) verb.flags.push_back(std::move(flag));
  }
  verb.works = true;
  verb.prints_meanwhile = [](const command::Values& values) { return values.text("to") == "-"; };
  return verb;
}

}  // namespace tidemill::batch
