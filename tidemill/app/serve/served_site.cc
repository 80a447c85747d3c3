#include "tidemill/app/serve/served_site.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "tidemill/app/serve/page_script.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/html/page.h"
#include "tidemill/formats/html/style_sheet.h"
#include "tidemill/formats/html/table.h"
#include "tidemill/io/web/path.h"

namespace tidemill::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using web::WebReply;

constexpr milliseconds kPoll{2'000};
constexpr seconds kRefresh{5};  // without script the whole page is loaded again
constexpr std::size_t kTagDigits = 16;

constexpr std::string_view kIcon =
    R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M8 1v14M1 8h14M3 3l10 )"
    R"(10M13 3 3 13" stroke="#2469b3" stroke-width="2"/><circle cx="8" cy="8" r="3" )"
    R"(fill="#2469b3"/></svg>)";

std::string url_with_hash(std::string_view path, std::string_view hash) {
  return std::string(path) + "?" + std::string(hash.substr(0, kTagDigits));
}

// With its hash in the URL it never changes; without, it may be another one after an update.
WebReply asset_reply(const web::Asset& asset, const web::Incoming& incoming,
                     std::string_view hash) {
  WebReply reply = asset.reply_to(incoming);
  const bool is_exact = !hash.empty() && incoming.query == hash.substr(0, kTagDigits);
  reply.headers.emplace_back("Cache-Control",
                             is_exact ? "private, max-age=31536000, immutable" : "no-cache");
  return reply;
}

// `path` was taken apart before: it begins with one slash and names no host.
std::string without_token(const std::string& path, const web::Form& query) {
  web::Form rest = query;
  std::erase_if(rest.fields, [](const auto& field) { return field.first == "token"; });
  return rest.fields.empty() ? path : path + "?" + web::text_of(rest);
}

std::string with_slashes(const std::vector<std::string>& segments) {
  std::string path;
  for (const std::string& one : segments) path += "/" + web::percent_encoded(one);
  return path.empty() ? "/" : path;
}

ServedScreen no_such_page() {
  return notice_screen(404, "No such page", "Nothing is at this address.",
                       "The list of runs leads to everything that there is.");
}

WebReply plain(int status, std::string text) { return {.status = status, .body = std::move(text)}; }

}  // namespace

ServedSite::ServedSite(const ServeContext& context, AccessGate gate)
    : context_(context),
      gate_(std::move(gate)),
      style_(std::string(html::style_sheet()), "text/css; charset=utf-8"),
      script_(std::string(page_script()), "text/javascript; charset=utf-8"),
      icon_(std::string(kIcon), "image/svg+xml") {}

WebReply ServedSite::answer(const web::Incoming& incoming) {
  WebReply reply = answer_without_headers(incoming);
  const bool has_cache_control = std::ranges::any_of(
      reply.headers, [](const auto& header) { return header.first == "Cache-Control"; });
  if (!has_cache_control) reply.headers.emplace_back("Cache-Control", "no-store");
  for (const auto& [name, value] : {std::pair<std::string_view, std::string_view>{
                                        "Content-Security-Policy", html::served_policy()},
                                    {"X-Content-Type-Options", "nosniff"},
                                    {"Referrer-Policy", "no-referrer"},
                                    {"Cross-Origin-Resource-Policy", "same-origin"},
                                    {"Cross-Origin-Opener-Policy", "same-origin"}}) {
    reply.headers.emplace_back(name, value);
  }
  return reply;
}

WebReply ServedSite::answer_without_headers(const web::Incoming& incoming) {
  if (gate_.check_host(incoming) != GateAnswer::granted) {
    return plain(421, "This server answers to 127.0.0.1 and localhost with its own port only.\n");
  }
  if (incoming.method != "GET") {  // HEAD arrives as GET
    return {.status = 405, .body = "This server only shows runs.\n", .allow = "GET, HEAD"};
  }
  if (incoming.path == "/healthz" || incoming.path == "/readyz") return plain(200, "ok\n");
  if (incoming.path == "/style.css") {
    return asset_reply(style_, incoming, html::style_sheet_hash());
  }
  if (incoming.path == "/app.js") return asset_reply(script_, incoming, page_script_hash());
  if (incoming.path == "/favicon.ico") return asset_reply(icon_, incoming, {});

  const auto query = web::parse_form(incoming.query);
  const auto path = web::segments_of(incoming.path);
  const GateAnswer gate_answer = gate_.check(incoming, query.value_or(web::Form{}));
  switch (gate_answer) {
    case GateAnswer::foreign_host:
    case GateAnswer::foreign_site:
      return plain(403, "Pages of other sites may link to this server, but not read it.\n");
    case GateAnswer::no_token:
      return sign_in_reply();
    case GateAnswer::first_visit: {
      const std::string there = path ? with_slashes(*path) : "/";
      WebReply reply = plain(303, "");
      reply.headers.emplace_back("Location", without_token(there, *query));
      reply.headers.emplace_back("Set-Cookie", gate_.cookie());
      return reply;
    }
    case GateAnswer::granted:
      break;
  }
  if (!path || !query) {
    return reply_of(notice_screen(400, "Not a valid address", "The address cannot be read."), "");
  }
  return answer_page(incoming, *path, *query);
}

WebReply ServedSite::answer_page(const web::Incoming& incoming,
                                 const std::vector<std::string>& path, const web::Form& query) {
  auto screen = screen_at(path, query);
  if (!screen) {
    const Failure& failure = screen.error();
    screen =
        notice_screen(500, "Cannot be shown", failure.step + ": " + failure.reason, failure.hint);
  }
  WebReply reply = reply_of(*screen, with_slashes(path));
  if (reply.status != 200) return reply;
  reply.headers.emplace_back("Cache-Control", "no-cache, private");
  const std::string tag = web::etag_of(reply.body);
  return web::with_etag(incoming, tag, std::move(reply));
}

Result<ServedScreen> ServedSite::screen_at(const std::vector<std::string>& path,
                                           const web::Form& query) {
  if (path.empty()) return runs_screen(context_, query);
  if (path.size() == 1 && path[0] == "compare") return compare_screen(context_, query);
  if (path.size() >= 2 && path[0] == "run") return screen_of_run(path, query);
  return no_such_page();
}

Result<ServedScreen> ServedSite::screen_of_run(const std::vector<std::string>& path,
                                               const web::Form& query) {
  LET(const auto folder, context_.runs.find(path[1]));
  if (!folder) {
    return notice_screen(404, "No such run", "There is no run with this id.",
                         "It may have been removed with forget.");
  }
  if (path.size() == 2) return run_screen(context_, *folder);
  const std::string& part = path[2];
  const bool is_whole = path.size() == 3;
  if (folder->is_record()) {
    return notice_screen(404, "No tasks", "This command has no journal, and so no tasks.");
  }
  if (part == "failures" && is_whole) return failures_screen(context_, *folder);
  if (part == "failures" && path.size() == 4) {
    return reason_screen(context_, *folder, path[3], query);
  }
  if (part == "tasks" && is_whole) return tasks_screen(context_, *folder, query);
  if (part == "task" && path.size() == 4) return task_screen(context_, *folder, path[3]);
  return no_such_page();
}

// The same for everybody without the token, whatever they asked for.
WebReply ServedSite::sign_in_reply() const {
  const ServedScreen screen = notice_screen(
      401, "Not signed in", "Open the address that tidemill serve printed when it started.",
      "Or add ?token=TOKEN to the address of this server. The token is in the file serve.token of "
      "the state folder.");
  return reply_of(screen, "");
}

WebReply ServedSite::reply_of(const ServedScreen& screen, const std::string& path) const {
  if (!screen.location.empty()) {
    WebReply reply = plain(303, "");
    reply.headers.emplace_back("Location", screen.location);
    return reply;
  }
  html::PageFrame frame{.title = screen.title + " · " + context_.program.name,
                        .kind = html::PageKind::served,
                        .status = html::words("read-only"),
                        .style_url = url_with_hash("/style.css", html::style_sheet_hash()),
                        .script_url = url_with_hash("/app.js", page_script_hash())};
  if (screen.status != 401) {
    frame.links = {{.text = "Runs", .url = "/", .is_current = path == "/"},
                   {.text = "Compare", .url = "/compare", .is_current = path == "/compare"}};
  }
  if (screen.is_live) {
    frame.refresh = kRefresh;
    frame.poll = kPoll;
  }
  return {.status = screen.status,
          .body = html::page(frame, screen.body),
          .type = "text/html; charset=utf-8"};
}

}  // namespace tidemill::app
