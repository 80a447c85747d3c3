// The description of the verb: help, man page, completions and parsing come from here.
#include <utility>

#include "tidemill/jobs/docs/options.h"

namespace tidemill::docs {
namespace {

using command::Flag;
using command::ValueKind;

std::vector<Flag> server_flags() {
  const std::string group = "Server";
  return {
      {.name = "url",
       .kind = ValueKind::text,
       .metavar = "URL",
       .help = "address of Outline, as in a browser",
       .group = group,
       .is_basic = true},
      {.name = "token-file",
       .kind = ValueKind::path,
       .metavar = "FILE",
       .help = "file with the API key",
       .fallback_text = "TIDEMILL_DOCS_TOKEN",
       .group = group,
       .is_basic = true},
      {.name = "collection",
       .kind = ValueKind::text,
       .metavar = "ID",
       .help = "process only this collection",
       .is_list = true,
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "document",
       .kind = ValueKind::text,
       .metavar = "ID",
       .help = "process only this document",
       .is_list = true,
       .is_configurable = false,
       .group = group},
      {.name = "ca-file",
       .kind = ValueKind::path,
       .metavar = "FILE",
       .help = "certificates to trust instead of those of the system",
       .group = group},
      {.name = "proxy",
       .kind = ValueKind::text,
       .metavar = "URL",
       .help = "proxy to use",
       .fallback_text = "from https_proxy and http_proxy",
       .group = group},
      {.name = "insecure-http",
       .help = "allow sending keys unencrypted over http:// to other machines",
       .group = group},
  };
}

std::vector<Flag> watching_flags() {
  const std::string group = "Watching";
  return {
      {.name = "watch",
       .help = "keep running and check for new commands",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "every",
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "interval at which --watch checks for changed documents",
       .fallback = "60s",
       .group = group,
       .least = "100ms"},
      {.name = "webhook",
       .kind = ValueKind::text,
       .metavar = "ADDRESS",
       .help = "address to listen on for Outline webhooks",
       .group = group,
       .is_basic = true},
      {.name = "webhook-secret-file",
       .kind = ValueKind::path,
       .metavar = "FILE",
       .help = "file with the signing secret of the webhooks",
       .fallback_text = "TIDEMILL_DOCS_WEBHOOK_SECRET",
       .group = group},
      {.name = "dry-run",
       .letter = 'n',
       .help = "print the commands found, and change nothing",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
  };
}

std::vector<Flag> assistant_flags() {
  const std::string group = "Assistant";
  return {
      {.name = "ai-url",
       .kind = ValueKind::text,
       .metavar = "URL",
       .help = "address of an OpenAI-compatible server, including /v1",
       .group = group,
       .is_basic = true},
      {.name = "ai-model",
       .kind = ValueKind::text,
       .metavar = "NAME",
       .help = "model to use",
       .group = group,
       .is_basic = true},
      {.name = "ai-token-file",
       .kind = ValueKind::path,
       .metavar = "FILE",
       .help = "file with its key",
       .fallback_text = "TIDEMILL_DOCS_AI_TOKEN",
       .group = group},
      {.name = "ai-rate",
       .kind = ValueKind::rate,
       .metavar = "N/m",
       .help = "rate limit for the assistant",
       .fallback = "60/m",
       .group = group},
      {.name = "threshold",
       .kind = ValueKind::text,
       .metavar = "X",
       .help = "minimum confidence to file a document, from 0 to 1",
       .fallback = "0.7",
       .group = group},
  };
}

std::vector<Flag> working_flags() {
  const std::string group = "Running";
  return {
      {.name = "jobs",
       .letter = 'j',
       .aliases = {"workers", "w"},
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "tasks to run in parallel; 0 = all cores",
       .fallback = "4",
       .group = group,
       .most = "256",
       .is_basic = true},
      {.name = "attempts",
       .letter = 'a',
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "attempts per task for transient failures",
       .fallback = "10",
       .group = group,
       .least = "1",
       .most = "1000",
       .is_basic = true},
      {.name = "backoff",
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "longest wait before the second attempt; doubles with each further one",
       .fallback = "1s",
       .group = group},
      {.name = "timeout",
       .letter = 't',
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "time limit per request",
       .fallback = "30s",
       .group = group,
       .least = "100ms"},
      {.name = "api-rate",
       .aliases = {"rate"},
       .kind = ValueKind::text,
       .metavar = "ENDPOINT=N/m",
       .help = "rate limit for an endpoint instead of Outline's, as in comments.create=10/m",
       .is_list = true,
       .group = group},
      {.name = "breaker-failures",
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "pause requests to a server after N failures in a row",
       .fallback = "5",
       .group = group,
       .least = "1",
       .most = "1000"},
      {.name = "breaker-wait",
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "length of that pause, after which one request tries again",
       .fallback = "30s",
       .group = group,
       .least = "10ms"},
  };
}

std::vector<Flag> report_flags() {
  const std::string group = "Report";
  return {
      {.name = "json",
       .help = "print the summary as one JSON object at the end",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "jsonl",
       .help = "print one JSON object per line for every finished task",
       .is_configurable = false,
       .group = group},
  };
}

command::Verb run_verb() {
  command::Verb verb{
      .name = "docs run",
      .summary = "run the commands in documents on an Outline server",
      .usage = {"tidemill docs run --url URL --ai-url URL --ai-model NAME [OPTIONS]"},
      .examples = {{"tidemill docs run --url https://wiki.example.org --dry-run",
                    "list the commands without running them"},
                   {"tidemill docs run --url https://wiki.example.org --token-file key --ai-url "
                    "http://localhost:11434/v1 --ai-model llama3",
                    "run all pending commands"},
                   {"tidemill docs run --url https://wiki.example.org … --webhook 0.0.0.0:8089",
                    "keep running; react to webhooks, and check every minute as well"},
                   {"tidemill failures last", "list the commands that failed, and why"}},
      .description =
          {"A command is a line of its own in a document: /ai-file [guidance] files the document "
           "in a collection, /ai QUESTION answers in a comment, /summarize writes a summary at the "
           "top, /enhance-title finds a title, /related lists similar documents. When a command is "
           "done, its line is removed and a comment says what was done.",
           "A command is a task of several steps: decide, update, terms, move, unmark, comment. "
           "The decision is saved before anything is changed, and every step is saved when it is "
           "done. After a failure, a crash or kill -9 a task therefore continues where it stopped, "
           "and nothing is done twice. If somebody changes a document in the meantime, it is read "
           "again; their changes are not overwritten.",
           "--webhook implies --watch, takes HOST:PORT, and accepts signed events only. --attempts "
           "counts the attempts over all steps of a task.",
           "Keys are read from files or from the environment: TIDEMILL_DOCS_TOKEN, "
           "TIDEMILL_DOCS_AI_TOKEN (if the assistant needs a key) and "
           "TIDEMILL_DOCS_WEBHOOK_SECRET."},
  };
  verb.description.emplace_back(
      "There is one run per server: the same command later resumes it. Commands that cannot be run "
      "are listed by tidemill failures, and a comment on the document says so.");
  for (auto* group :
       {&server_flags, &watching_flags, &assistant_flags, &working_flags, &report_flags}) {
    for (Flag& flag : group()) verb.flags.push_back(std::move(flag));
  }
  verb.works = true;
  return verb;
}

}  // namespace

command::Verb verb() {
  return {
      .name = "docs",
      .summary = "run assistant commands in documents over HTTP",
      .usage = {"tidemill docs run --url URL --ai-url URL --ai-model NAME [OPTIONS]"},
      .examples = {{"tidemill docs run --url https://wiki.example.org --dry-run",
                    "list the pending commands in the documents on a server"}},
      .description = {"Documents on an Outline server contain commands for an assistant, each on "
                      "its own line. `docs run` runs them."},
      .below = {run_verb()}};
}

}  // namespace tidemill::docs
