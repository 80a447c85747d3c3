// The description of the verb: help, man page, completions and parsing come from here.
#include <utility>

#include "tidemill/jobs/docs/options.h"

namespace tidemill::docs {
namespace {

using command::Flag;
using command::Kind;

std::vector<Flag> server_flags() {
  const std::string group = "The server";
  return {
      {.name = "url",
       .kind = Kind::text,
       .metavar = "URL",
       .help = "where Outline is, as in a browser: https://wiki.example.org",
       .group = group},
      {.name = "token-file",
       .kind = Kind::path,
       .metavar = "FILE",
       .help = "a file with the API key; without it TIDEMILL_DOCS_TOKEN has the key",
       .group = group},
      {.name = "collection",
       .kind = Kind::text,
       .metavar = "ID",
       .help = "look into this collection only",
       .is_list = true,
       .is_configurable = false,
       .group = group},
      {.name = "document",
       .kind = Kind::text,
       .metavar = "ID",
       .help = "look at this document only",
       .is_list = true,
       .is_configurable = false,
       .group = group},
      {.name = "ca-file",
       .kind = Kind::path,
       .metavar = "FILE",
       .help = "certificates to trust instead of the system's",
       .group = group},
      {.name = "proxy",
       .kind = Kind::text,
       .metavar = "URL",
       .help = "go through this proxy",
       .fallback_text = "as https_proxy and http_proxy say",
       .group = group},
      {.name = "insecure-http",
       .help = "send keys over plain http:// to other machines, unencrypted",
       .group = group},
  };
}

std::vector<Flag> watching_flags() {
  const std::string group = "Going on";
  return {
      {.name = "watch",
       .help = "go on when everything is done, and look again and again",
       .is_configurable = false,
       .group = group},
      {.name = "every",
       .kind = Kind::duration,
       .metavar = "TIME",
       .help = "how often --watch looks for changed documents",
       .fallback = "60s",
       .group = group,
       .least = "100ms"},
      {.name = "webhook",
       .kind = Kind::text,
       .metavar = "ADDRESS",
       .help = "listen here (host:port) for what Outline tells of itself; implies --watch",
       .group = group},
      {.name = "webhook-secret-file",
       .kind = Kind::path,
       .metavar = "FILE",
       .help = "a file with the signing secret; without it TIDEMILL_DOCS_WEBHOOK_SECRET has it",
       .group = group},
      {.name = "dry-run",
       .letter = 'n',
       .help = "print the commands that are found, and do nothing",
       .is_configurable = false,
       .group = group},
  };
}

std::vector<Flag> assistant_flags() {
  const std::string group = "The assistant";
  return {
      {.name = "ai-url",
       .kind = Kind::text,
       .metavar = "URL",
       .help = "an OpenAI-compatible server, up to and with /v1",
       .group = group},
      {.name = "ai-model",
       .kind = Kind::text,
       .metavar = "NAME",
       .help = "its model",
       .group = group},
      {.name = "ai-token-file",
       .kind = Kind::path,
       .metavar = "FILE",
       .help = "a file with its key; without it TIDEMILL_DOCS_AI_TOKEN, or none",
       .group = group},
      {.name = "ai-rate",
       .kind = Kind::rate,
       .metavar = "N/m",
       .help = "ask it at most so often",
       .fallback = "60/m",
       .group = group},
      {.name = "threshold",
       .kind = Kind::text,
       .metavar = "X",
       .help = "file a document only when the assistant is so sure, from 0 to 1",
       .fallback = "0.7",
       .group = group},
  };
}

std::vector<Flag> working_flags() {
  const std::string group = "Working";
  return {
      {.name = "workers",
       .letter = 'w',
       .kind = Kind::count,
       .metavar = "N",
       .help = "tasks at the same time",
       .fallback = "4",
       .group = group,
       .least = "1",
       .most = "256"},
      {.name = "attempts",
       .letter = 'a',
       .kind = Kind::count,
       .metavar = "N",
       .help = "try so often what may pass by itself, over all steps of a task",
       .fallback = "10",
       .group = group,
       .least = "1",
       .most = "1000"},
      {.name = "backoff",
       .kind = Kind::duration,
       .metavar = "TIME",
       .help = "wait up to this long before the second attempt, and twice as long before each "
               "further one; a server's Retry-After counts more",
       .fallback = "1s",
       .group = group},
      {.name = "timeout",
       .letter = 't',
       .kind = Kind::duration,
       .metavar = "TIME",
       .help = "how long one request may take",
       .fallback = "30s",
       .group = group,
       .least = "100ms"},
      {.name = "rate",
       .kind = Kind::text,
       .metavar = "ENDPOINT=N/m",
       .help = "another limit for an endpoint than Outline's own, as in comments.create=10/m",
       .is_list = true,
       .group = group},
      {.name = "breaker-failures",
       .kind = Kind::count,
       .metavar = "N",
       .help = "leave a server alone after so many failures in a row",
       .fallback = "5",
       .group = group,
       .least = "1",
       .most = "1000"},
      {.name = "breaker-wait",
       .kind = Kind::duration,
       .metavar = "TIME",
       .help = "and for so long, before one request tries again",
       .fallback = "30s",
       .group = group,
       .least = "10ms"},
  };
}

std::vector<Flag> report_flags() {
  const std::string group = "Working";
  return {
      {.name = "json",
       .help = "print one object with the summary at the end",
       .is_configurable = false,
       .group = group},
      {.name = "jsonl",
       .help = "print an object a line for every task that ends",
       .is_configurable = false,
       .group = group},
  };
}

command::Verb run_verb() {
  command::Verb verb{
      .name = "docs run",
      .summary = "do what the commands in the documents of an Outline server ask for",
      .usage = {"tidemill docs run --url URL --ai-url URL --ai-model NAME [OPTIONS]"},
      .examples = {{"tidemill docs run --url https://wiki.example.org --token-file key --ai-url "
                    "http://localhost:11434/v1 --ai-model llama3",
                    "do all commands that are there now"},
                   {"tidemill docs run --url https://wiki.example.org --dry-run",
                    "only print them"},
                   {"tidemill docs run --url https://wiki.example.org … --webhook 0.0.0.0:8089",
                    "stay, be told of changes, and look every minute anyway"},
                   {"tidemill letters last", "what could not be done, and why"}},
      .description =
          {"A command stands on a line of its own in a document: /ai-file [guidance] files the "
           "document into a collection, /ai QUESTION answers in a comment, /summarize writes a "
           "summary at the top, /enhance-title finds a title, /related names similar documents. "
           "When it is done the line is removed and a comment says what was done.",
           "A command is a task of several steps: decide, update, terms, move, unmark, comment. "
           "What was decided is kept before anything is changed, and every step is kept when it is "
           "done, so a task goes on where it was after a failure, a crash or kill -9, and nothing "
           "is done twice. A document that a person changed meanwhile is read again; what a person "
           "has changed is left alone.",
           "There is one run a server: the same command later goes on with it. What cannot be done "
           "lies with the letters of that run, and a comment on the document says so."},
  };
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
      .summary = "work on documents over an HTTP API, step by step, every effect once",
      .usage = {"tidemill docs run --url URL --ai-url URL --ai-model NAME [OPTIONS]"},
      .examples = {{"tidemill docs run --url https://wiki.example.org --dry-run",
                    "the commands that are waiting in the documents of a server"}},
      .description = {"Documents on an Outline server hold commands for an assistant, each on a "
                      "line of its own. `docs run` does them."},
      .below = {run_verb()}};
}

}  // namespace tidemill::docs
