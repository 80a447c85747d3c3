// steps_over_http: three steps over an HTTP API, a crash in between, each effect once.
//   process 1   read ──► update ✗ killed: the server has the update, the journal does not
//                ▼        checkpoint, in a journal on disk
//   process 2    └──────► update ──► comment ──► done
//
// A step cannot know if its last attempt reached the server. So the first one decides what to
// write, and the others are safe to run twice: the update looks for its line and names the revision
// it read; the comment's id (UUID 4) is made from the task. Arguments: URL, DOCUMENT, JOURNAL file.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <map>

#include "tidemill/base/try.h"
#include "tidemill/engine/pool.h"
#include "tidemill/engine/steps.h"
#include "tidemill/formats/jsonl/tree.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/io/hash/uuid.h"
#include "tidemill/io/http/gate.h"
#include "tidemill/io/http/response_check.h"
#include "tidemill/io/http/secret.h"
#include "tidemill/io/http/session.h"
#include "tidemill/state/journal/sqlite_journal.h"

using namespace tidemill;
using namespace tidemill::journal;
using namespace tidemill::engine;

namespace {
using Texts = std::map<std::string, std::string>;

struct Api {
  const std::string url;
  const std::string authorization;
  http::Session& session;  // of the only worker
  http::RequestGate gate{
      {.host = "it", .per_minute = 1'000'000, .endpoints = {{"comments.create", 25}}}};
  const SystemClock clock{};

  // Every failure has a cure, which decides if the pool retries, waits or gives up.
  Result<jsonl::Json> call(const std::string& endpoint, const Texts& texts,
                           std::int64_t revision = 0) {
    http::HttpRequest request{.url = url + "/api/" + endpoint};
    request.headers = {{"Authorization", authorization}, {"Content-Type", "application/json"}};
    text::JsonWriter json(request.body);
    json.begin_object();
    for (const auto& [name, value] : texts) json.key(name).value(value);
    if (revision > 0) json.key("lastRevision").value(revision);
    json.end_object();
    LET(const auto pass, gate.enter(endpoint, clock.now()));
    const auto response = session.exchange(request);
    using enum http::RequestGate::Outcome;
    gate.leave(pass, response && !http::is_server_error(*response) ? ok : failed, clock.now());
    if (!response) return std::unexpected(response.error());
    TRY(http::judge(*response, clock.wall()));
    return jsonl::Json::parse(response->body);
  }
};

Steps plan_of(Api& api, const std::string& id, bool is_doomed) {
  const auto read = [&api, id](const StepContext&) -> Result<std::string> {
    LET(const auto answer, api.call("documents.info", {{"id", id}}));
    std::cout << "read: " << answer["data"]["title"].text() << '\n';
    return "A program has read " + answer["data"]["title"].text();  // every attempt writes this
  };
  const auto update = [&api, id, is_doomed](const StepContext& context) -> Result<std::string> {
    LET(const auto now, api.call("documents.info", {{"id", id}}));
    const Texts edit = {{"id", id}, {"text", "\n\n" + context.data}, {"editMode", "append"}};
    const auto revision = now["data"]["revision"].whole().value_or(1);  // 409: someone wrote first
    const bool is_there = now["data"]["text"].text().contains(context.data);
    if (!is_there) TRY(api.call("documents.update", edit, revision));
    std::cout << (is_there ? "update: already there" : "update: written") << std::endl;
    if (is_doomed) (void)::raise(SIGKILL);
    return context.data;
  };
  const auto comment = [&api, id](const StepContext& context) -> Result<std::string> {
    const auto own = hash::uuid5(id, std::to_string(context.task) + " comment").replace(14, 1, "4");
    const auto made =
        api.call("comments.create", {{"id", own}, {"documentId", id}, {"text", context.data}});
    if (!made && !api.call("comments.info", {{"id", own}})) return std::unexpected(made.error());
    std::cout << (made ? "comment: created\n" : "comment: already there\n");
    return context.data;
  };
  return Steps({{.name = "read", .run = read},
                {.name = "update", .run = update},
                {.name = "comment", .run = comment}});
}

Result<void> work(const char* const* words, bool is_doomed) {
  LET(const auto session, http::Session::open({}));
  LET(const auto key, http::read_secret("", "API_KEY"));
  Api api{.url = words[1], .authorization = "Bearer " + key.reveal(), .session = *session};
  LET(const auto journal, SqliteJournal::open({.path = words[3], .access = Access::create}));
  if (is_doomed) TRY(journal->commit_one(Found{.id = 1, .subject = words[2]}));
  JournalCheckpoints checkpoints(*journal);
  const auto task = [&](const TaskContext& context) -> Result<void> {
    LET(const auto report, plan_of(api, words[2], is_doomed).run(context, checkpoints));
    std::cout << "done: the last attempt ran " << report.steps_run << " of 3 steps\n";
    return journal->commit_one(Done{.id = context.id(), .attempts = context.attempt()});
  };
  LET(auto pool, Pool::start({.workers = 1, .retry = {.max_attempts = 5}}));
  (void)pool.submit({task, {.id = 1}});
  pool.close();
  const PoolReport report = pool.wait();
  return report.errors.empty() ? Result<void>() : std::unexpected(report.errors.front().failure);
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  const pid_t doomed = ::fork();
  if (doomed != 0) ::waitpid(doomed, nullptr, 0);
  const auto ran = work(words, doomed == 0);
  if (!ran) std::cerr << text_of(ran.error()) << '\n';
  return ran ? 0 : 1;
}
