#include "tests/docs/stub/stub.h"

#include <chrono>

#include "tests/docs/stub/api.h"
#include "tidemill/base/try.h"

namespace tidemill::docs_stub {
namespace {

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Answer refused(const Refusal& why) {
  return {
      .status = why.status,
      .body = text_of(
          {{"ok", false}, {"error", why.error}, {"status", why.status}, {"message", why.message}})};
}

// Whole seconds, or with a fraction that does not end in zeros.
std::string seconds_of(std::int64_t ms, bool has_fraction) {
  if (!has_fraction || ms % 1000 == 0) return std::to_string((ms + 999) / 1000);
  std::string fraction = std::to_string(1000 + ms % 1000).substr(1);
  while (fraction.ends_with('0')) fraction.pop_back();
  return std::to_string(ms / 1000) + "." + fraction;
}

Answer limited(int limit, std::int64_t ms_left, const Rows& rows) {
  Answer answer = refused(refusal(429));
  answer.headers = {{"Retry-After", seconds_of(ms_left, rows.limits)},
                    {"RateLimit-Limit", std::to_string(limit)},
                    {"RateLimit-Remaining", "0"},
                    {"RateLimit-Reset", date_time(now_ms() + ms_left)}};
  return answer;
}

Answer whole(Json result) {
  result["ok"] = true;
  result["status"] = 200;
  return {.body = text_of(result)};
}

Checked<Json> object_of(const std::string& body) {
  if (body.empty()) return Json::object();
  Json json = Json::parse(body, nullptr, false);
  if (json.is_discarded()) return refuse(400, "Unable to parse the request as JSON");
  if (!json.is_object()) return refuse(400, "expected an object");
  return json;
}

// A request is inside for as long as this lives.
class Presence {
 public:
  explicit Presence(std::atomic<int>& inside) : inside_(inside), count_(++inside) {}
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;
  ~Presence() { --inside_; }
  [[nodiscard]] int count() const { return count_; }  // when it came

 private:
  std::atomic<int>& inside_;
  int count_;
};

Answer ended(Answer::End end) {
  Answer answer;
  answer.end = end;
  return answer;
}

Answer faulted(const Fault& fault, const Rows& rows) {
  if (fault.kind == Fault::Kind::cut) return ended(Answer::End::cut);
  if (fault.status == 429) return limited(1, rows.limits ? 1041 : 1000, rows);
  return refused(refusal(fault.status));
}

}  // namespace

void Stub::stop() {
  const Lock lock(mutex_);
  is_stopped_ = true;
  stopped_.notify_all();
}

void Stub::wait(Lock& lock, std::int64_t ms) {
  stopped_.wait_for(lock, std::chrono::milliseconds(ms), [this] { return is_stopped_; });
}

void Stub::gather(Lock& lock) {
  if (gathering_ == 0 || std::cmp_less(world_.journal().size(), gathers_after_)) return;
  if (--gathering_ == 0) stopped_.notify_all();
  stopped_.wait(lock, [this] { return is_stopped_ || gathering_ == 0; });
}

Answer Stub::answered(Answer answer) {
  meter_.answered(answer.end == Answer::End::whole ? answer.status : 0);
  return answer;
}

Checked<Json> Stub::served(const std::string& endpoint, const std::string& authorization,
                           const std::string& body, const Ruling& ruling) {
  if (!ruling.is_allowed) return refuse(429);
  const Endpoint serve = endpoint_named(endpoint);
  if (serve == nullptr) return refuse(404);
  if (!authorization.starts_with("Bearer ")) return refuse(401);
  if (authorization != "Bearer " + options_.key) return refuse(401, "Invalid API key");
  LET(const auto fields, object_of(body));
  return serve(world_, fields);
}

void Stub::human_follows(const std::string& endpoint, const Json& result) {
  if (endpoint != "documents.info" || human_every_ == 0) return;
  if (++infos_ % human_every_ != 0) return;
  Document* document = world_.find(result["data"]["id"].get<std::string>());
  if (document == nullptr || !document->deleted_at.empty()) return;
  const std::string number = " " + std::to_string(++human_lines_);
  if (human_title_.empty()) return world_.append_line(*document, human_line_ + number);
  Change change;
  change.title = human_title_ + number;
  world_.update(*document, change, Who::human);
}

Answer Stub::api(const std::string& endpoint, const std::string& authorization,
                 const std::string& body) {
  const Presence presence(inside_);
  Lock lock(mutex_);
  gather(lock);
  const std::int64_t now = now_ms();
  meter_.at_once(presence.count());
  const Ruling ruling = meter_.arrive(endpoint, now);
  if (now < down_until_ && gathering_ == 0) {
    meter_.arrive_while_down(now);
    return answered(is_closing_ ? ended(Answer::End::cut) : refused(refusal(503)));
  }
  const Fault fault = faults_.next(endpoint);
  using Kind = Fault::Kind;
  const bool is_slow = fault.kind == Kind::slow;
  if (is_slow && !fault.is_after) wait(lock, fault.ms);
  if (fault.kind != Kind::none && !is_slow && !fault.is_after)
    return answered(faulted(fault, options_.rows));

  Checked<Json> result = served(endpoint, authorization, body, ruling);
  const World::Shown shown = world_.take_shown();
  if (result) human_follows(endpoint, *result);
  if (result && fault.kind == Kind::garble) {
    (*result)["data"] = {
        {"id", 5}, {"user", 5}, {"revision", "one"}, {"updatedAt", "now"}, {"documents", 5}};
  }
  if (is_slow && fault.is_after) wait(lock, fault.ms);
  if (fault.kind == Kind::status || fault.kind == Kind::cut)
    return answered(faulted(fault, options_.rows));
  Answer answer = !ruling.is_allowed ? limited(ruling.limit, ruling.ms_left, options_.rows)
                  : result           ? whole(*std::move(result))
                                     : refused(result.error());
  if (fault.kind == Kind::half) {
    answer.end = Answer::End::half;
  } else {
    world_.delivered(shown);
  }
  return answered(std::move(answer));
}

Answer Stub::chat(const std::string& body) {
  const Presence presence(inside_);
  Lock lock(mutex_);
  meter_.at_once(presence.count());
  meter_.count("chat", now_ms());
  const Fault fault = faults_.next("chat");
  if (fault.kind == Fault::Kind::slow) {
    wait(lock, fault.ms);
  } else if (fault.kind == Fault::Kind::status || fault.kind == Fault::Kind::cut) {
    return answered(faulted(fault, options_.rows));
  }
  const auto fields = object_of(body);
  if (!fields) return answered(refused(fields.error()));
  const ChatAnswer said = chat_.answer(world_, *fields);
  if (said.ms > 0) wait(lock, said.ms);
  Answer answer{.status = said.status, .body = text_of(said.body)};
  if (said.retry_after > 0) {
    answer.headers.emplace_back("Retry-After", std::to_string(said.retry_after));
  }
  return answered(std::move(answer));
}

Answer Stub::control(const std::string& name, const std::string& body) {
  const Lock lock(mutex_);
  const auto fields = object_of(body);
  if (!fields) return refused(fields.error());
  auto result = controlled(name, *fields);
  if (!result) return refused(result.error());
  return {.body = text_of(*result)};
}

}  // namespace tidemill::docs_stub
