#include <memory>
#include <string>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/jsonl/tree.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/jobs/docs/server/caller.h"
#include "tidemill/jobs/docs/server/docs_server.h"
#include "tidemill/jobs/docs/server/sound.h"

namespace tidemill::docs {
namespace {

using jsonl::Json;

constexpr std::string_view kEndpoint = "chat";
constexpr double kTemperature = 0.3;  // low: answers should be accurate rather than varied

std::string body_of(const std::string& model, const Prompt& prompt) {
  std::string body;
  text::JsonWriter json(body);
  json.begin_object().key("model").value(sound(model));
  json.key("temperature").value(kTemperature).key("messages").begin_array();
  json.begin_object().key("role").value("system");
  json.key("content").value(sound(prompt.system)).end_object();
  json.begin_object().key("role").value("user");
  json.key("content").value(sound(prompt.user)).end_object().end_array();
  if (prompt.wants_json) {
    json.key("response_format").begin_object().key("type").value("json_object").end_object();
  }
  json.end_object();
  return body;
}

// One thread.
class AssistantWire final : public Assistant {
 public:
  AssistantWire(Caller caller, std::string model)
      : caller_(std::move(caller)), model_(std::move(model)) {}

  Result<void> begin() override { return caller_.begin(kEndpoint); }

  Result<std::string> answer(const Prompt& prompt) override {
    LET(const auto response, caller_.call(kEndpoint, "/chat/completions", body_of(model_, prompt)));
    const auto json = Json::parse(response.body);
    if (!json) {
      return caller_.refuse(Cure::give_up, kEndpoint,
                            "the answer is not JSON: " + json.error().reason);
    }
    const auto choices = (*json)["choices"].items();
    const Json first = choices.empty() ? Json() : choices.front();
    const std::string& content = first["message"]["content"].text();
    if (content.empty()) {
      return caller_.refuse(Cure::retry, kEndpoint, "the answer has no text");
    }
    // Answers are quoted in failures and comments.
    return caller_.key().hide(content);
  }

 private:
  Caller caller_;
  std::string model_;
};

}  // namespace

Result<std::unique_ptr<Assistant>> connect_assistant(DocsServer& server, std::string model,
                                                     std::stop_token stop) {
  LET(auto caller, Caller::open(server, std::move(stop)));
  return std::make_unique<AssistantWire>(std::move(caller), std::move(model));
}

}  // namespace tidemill::docs
