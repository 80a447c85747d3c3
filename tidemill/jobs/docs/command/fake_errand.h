// FakeErrand: a command task on a FakeOutline, with everything that it needs, for tests.
//
// Its decisions come from a script, not from decide(), and each one is different: if a task decides
// twice, the comment shows it.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/engine/checkpoints.h"
#include "tidemill/engine/memory_journal.h"
#include "tidemill/engine/steps.h"
#include "tidemill/jobs/docs/command/blocks.h"
#include "tidemill/jobs/docs/command/plan.h"
#include "tidemill/jobs/docs/server/fake_outline.h"

namespace tidemill::docs {

inline constexpr const char* kDoc = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";
inline constexpr const char* kHere = "11111111-9dad-41d1-80b4-00c04fd430c8";
inline constexpr const char* kThere = "22222222-9dad-41d1-80b4-00c04fd430c8";
inline constexpr const char* kElsewhere = "33333333-9dad-41d1-80b4-00c04fd430c8";

// A command, the text around it, and a function that fills in the decision.
struct Scene {
  std::string name{};
  Command command{};
  std::string text{};
  std::function<void(Decision&)> fill{};
};

inline std::string scene_text(const Command& command) {
  return "# Bills\n\nfirst line\n\n" + line_of(command) + "\n\nlast line\n";
}

inline Scene scene(std::string name, Command command, std::function<void(Decision&)> fill) {
  Scene made;
  made.name = std::move(name);
  made.text = scene_text(command);
  made.command = std::move(command);
  made.fill = std::move(fill);
  return made;
}

inline void fill_all(Decision& decision) {
  decision.new_title = "A better title";
  decision.summary = "It is about bills.\n\nAnd about more.";
  decision.terms = {"bills", "money"};
  decision.move_to = kThere;
  decision.comment = "done";
}

// Each command with its usual decision, then all effects at once, without and with earlier blocks.
inline std::vector<Scene> scenes() {
  const Command file{.name = CommandName::file, .argument = "to finance"};
  std::vector<Scene> all;
  all.push_back(scene("file", file, [](Decision& decision) {
    decision.terms = {"bills", "money"};
    decision.move_to = kThere;
    decision.comment = "moved";
  }));
  all.push_back(scene("unsure", file, [](Decision& decision) {
    decision.mark = CommandMark::uncertain;
    decision.comment = "here or there?";
  }));
  all.push_back(scene("ask", {.name = CommandName::ask, .argument = "who pays?"},
                      [](Decision& decision) { decision.comment = "you"; }));
  all.push_back(scene("summarize", {.name = CommandName::summarize},
                      [](Decision& decision) { decision.summary = "Bills."; }));
  all.push_back(scene("title", {.name = CommandName::title}, [](Decision& decision) {
    decision.new_title = "A better title";
    decision.comment = "it was: Title";
  }));
  all.push_back(scene("related", {.name = CommandName::related},
                      [](Decision& decision) { decision.comment = "see there"; }));
  all.push_back(scene("all", file, fill_all));
  all.push_back(scene("all again", file, fill_all));
  std::string& text = all.back().text;
  text = framed(MarkedBlock::summary, "an old summary") + "\n\n" + text + "\n" +
         framed(MarkedBlock::terms, "old terms");
  return all;
}

// One thread. The task outlives its processes: every attempt() acts as a new process.
struct FakeErrand {
  explicit FakeErrand(Scene played) : scene(std::move(played)) {
    outline.add(kDoc, "Title", scene.text, kHere);
    errand.decide = [this](const Command& command, const OutlineDocument& document,
                           const DecideContext& /*context*/) { return decided(command, document); };
    const engine::Entry found = engine::Found{.id = 1};
    (void)journal.commit(std::span(&found, 1));
  }
  FakeErrand(const FakeErrand&) = delete;
  FakeErrand& operator=(const FakeErrand&) = delete;
  ~FakeErrand() = default;

  // Fails with Cure::resume and step "killed" if a script killed it.
  Result<engine::StepsReport> attempt(bool is_last = false) {
    const engine::StopAsked go_on = [] { return false; };
    try {
      return plan_of(errand).run(1, checkpoints, go_on, {}, is_last);
    } catch (const Killed&) {
      return fail(Cure::resume, "killed", "by the script");
    }
  }

  // Repeats attempts until one succeeds or gives up; returns its result.
  Result<engine::StepsReport> finish(int most = 4) {
    for (int tries = 0; tries < most; ++tries) {
      auto outcome = attempt();
      if (outcome || outcome.error().cure == Cure::give_up) return outcome;
    }
    return fail(Cure::retry, "rig", "it does not end");
  }

  [[nodiscard]] const OutlineDocument& document() { return outline.documents.at(kDoc); }

  struct NoAssistant final : Assistant {
    Result<std::string> answer(const Prompt& /*prompt*/) override {
      return fail(Cure::give_up, "assistant", "nobody is to be asked");
    }
  };

  Scene scene;
  FakeOutline outline{};
  int decisions = 0;
  engine::MemoryJournal journal{};
  engine::JournalCheckpoints checkpoints{journal};
  SystemClock clock{};
  NoAssistant assistant{};
  TaxonomyCache taxonomy{clock, std::chrono::hours(1)};
  Errand errand{.document = kDoc,
                .command = scene.command,
                .key = task_key("run 1", 1),
                .context = {.outline = outline, .assistant = assistant, .taxonomy = taxonomy}};

 private:
  Result<Decision> decided(const Command& command, const OutlineDocument& document) {
    Decision decision;
    decision.document = document.id;
    decision.command = command;
    decision.title = document.title;
    decision.collection = document.collection;
    decision.had_summary =
        read_block(document.text, MarkedBlock::summary).state != BlockState::none;
    decision.had_terms = read_block(document.text, MarkedBlock::terms).state != BlockState::none;
    scene.fill(decision);
    ++decisions;
    if (!decision.comment.empty()) decision.comment += " #" + std::to_string(decisions);
    return decision;
  }
};

}  // namespace tidemill::docs
