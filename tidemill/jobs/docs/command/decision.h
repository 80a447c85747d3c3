// Decision: what is to be done for one command, decided once and then kept. The steps that follow
// have no mind of their own: after a crash they go on with the same decision, whatever the
// assistant would say the second time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/docs/command/commands.h"

namespace tidemill::docs {

enum class Mark : std::uint8_t {
  remove,     // the line of the command goes
  uncertain,  // /ai-file becomes ?ai-file
};

struct Decision {
  std::string document{};  // its uuid
  Command command{};

  // The document when it was decided: what a person has changed since is not ours to change.
  std::string title{};
  std::string collection{};
  std::string parent{};  // of the document; empty: none
  bool had_summary = false;
  bool had_terms = false;

  // What to do; empty: nothing.
  std::string new_title{};
  std::string summary{};
  std::vector<std::string> terms{};
  std::string move_to{};  // a collection's uuid
  Mark mark = Mark::remove;
  std::string comment{};

  // What was done, for the task's result.
  std::int64_t revision = 0;              // after our last change
  std::string updated_at{};               // the same, as a time
  bool is_unmarked = false;               // the line is gone (or changed, as asked)
  std::vector<std::string> left_alone{};  // what a person had changed: "title", "summary", …

  // The comment is all that comes of it: without it nothing has been done.
  [[nodiscard]] bool is_answer() const {
    return new_title.empty() && summary.empty() && terms.empty() && move_to.empty();
  }

  bool operator==(const Decision&) const = default;
};

// As a step's data. decision_of() fails with give_up, step "decision", when it is none.
[[nodiscard]] std::string text_of(const Decision& decision);
[[nodiscard]] Result<Decision> decision_of(std::string_view text);

}  // namespace tidemill::docs
