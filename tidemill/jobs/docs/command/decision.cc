#include "tidemill/jobs/docs/command/decision.h"

#include <array>
#include <utility>

#include "tidemill/formats/jsonl/tree.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/jobs/docs/server/sound.h"

namespace tidemill::docs {
namespace {

using jsonl::Json;

constexpr int kVersion = 1;

// The names as stored: independent of the words that users write, which may change.
constexpr std::array<std::pair<CommandName, std::string_view>, 5> kNames{
    {{CommandName::file, "file"},
     {CommandName::ask, "ask"},
     {CommandName::summarize, "summarize"},
     {CommandName::title, "title"},
     {CommandName::related, "related"}}};

std::string_view kept_name(CommandName name) {
  for (const auto& [known, text] : kNames) {
    if (known == name) return text;
  }
  return "";
}

void write_list(text::JsonWriter& json, std::string_view key,
                const std::vector<std::string>& list) {
  json.key(key).begin_array();
  for (const std::string& item : list) json.value(sound(item));
  json.end_array();
}

// Reads the fields of an object and records whether one was missing or had the wrong type.
class Fields {
 public:
  explicit Fields(const Json& json) : json_(json) {}

  std::string text(std::string_view key) {
    const Json& field = json_[key];
    if (!field.is_text()) is_whole_ = false;
    return field.text();
  }

  // Earlier versions did not write it.
  [[nodiscard]] std::string text_if_any(std::string_view key) const { return json_[key].text(); }

  bool truth(std::string_view key) {
    const auto truth = json_[key].truth();
    if (!truth) is_whole_ = false;
    return truth.value_or(false);
  }

  std::int64_t whole(std::string_view key) {
    const auto whole = json_[key].whole();
    if (!whole) is_whole_ = false;
    return whole.value_or(0);
  }

  std::vector<std::string> list(std::string_view key) {
    const Json& field = json_[key];
    if (!field.is_array()) is_whole_ = false;
    std::vector<std::string> list;
    for (const Json& item : field.items()) {
      if (!item.is_text()) is_whole_ = false;
      list.push_back(item.text());
    }
    return list;
  }

  CommandName name(std::string_view key) {
    const std::string& word = json_[key].text();
    for (const auto& [name, text] : kNames) {
      if (text == word) return name;
    }
    is_whole_ = false;
    return CommandName::file;
  }

  CommandMark mark(std::string_view key) {
    const std::string& word = json_[key].text();
    if (word != "remove" && word != "uncertain") is_whole_ = false;
    return word == "uncertain" ? CommandMark::uncertain : CommandMark::remove;
  }

  [[nodiscard]] bool is_whole() const { return is_whole_; }

 private:
  const Json& json_;
  bool is_whole_ = true;
};

std::unexpected<Failure> no_decision(std::string_view why) {
  return fail(Cure::give_up, "decision",
              "this version cannot read the stored decision: " + std::string(why));
}

}  // namespace

std::string text_of(const Decision& decision) {
  std::string text;
  text::JsonWriter json(text);
  json.begin_object().key("v").value(kVersion);
  json.key("document").value(sound(decision.document));
  json.key("command").value(kept_name(decision.command.name));
  json.key("is_uncertain").value(decision.command.is_uncertain);
  json.key("argument").value(sound(decision.command.argument));
  json.key("title").value(sound(decision.title));
  json.key("collection").value(sound(decision.collection));
  json.key("parent").value(sound(decision.parent));
  json.key("had_summary").value(decision.had_summary);
  json.key("had_terms").value(decision.had_terms);
  json.key("new_title").value(sound(decision.new_title));
  json.key("summary").value(sound(decision.summary));
  write_list(json, "terms", decision.terms);
  json.key("move_to").value(sound(decision.move_to));
  json.key("mark").value(decision.mark == CommandMark::uncertain ? "uncertain" : "remove");
  json.key("comment").value(sound(decision.comment));
  json.key("revision").value(decision.revision);
  json.key("updated_at").value(sound(decision.updated_at));
  json.key("is_unmarked").value(decision.is_unmarked);
  write_list(json, "left_alone", decision.left_alone);
  json.end_object();
  return text;
}

Result<Decision> decision_of(std::string_view text) {
  const auto json = Json::parse(text);
  if (!json) return no_decision(json.error().reason);
  if ((*json)["v"].whole() != kVersion) return no_decision("not version 1");
  Fields fields(*json);
  Decision decision;
  decision.document = fields.text("document");
  decision.command.name = fields.name("command");
  decision.command.is_uncertain = fields.truth("is_uncertain");
  decision.command.argument = fields.text("argument");
  decision.title = fields.text("title");
  decision.collection = fields.text("collection");
  decision.parent = fields.text_if_any("parent");
  decision.had_summary = fields.truth("had_summary");
  decision.had_terms = fields.truth("had_terms");
  decision.new_title = fields.text("new_title");
  decision.summary = fields.text("summary");
  decision.terms = fields.list("terms");
  decision.move_to = fields.text("move_to");
  decision.mark = fields.mark("mark");
  decision.comment = fields.text("comment");
  decision.revision = fields.whole("revision");
  decision.updated_at = fields.text_if_any("updated_at");
  decision.is_unmarked = fields.truth("is_unmarked");
  decision.left_alone = fields.list("left_alone");
  if (!fields.is_whole()) return no_decision("a field is missing or has the wrong type");
  return decision;
}

}  // namespace tidemill::docs
