// Decision: what to do for one command, decided once and then stored. The later steps only execute
// it: after a crash they continue with the same decision, whatever the assistant would answer the
// second time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/docs/command/commands.h"

namespace tidemill::docs {

enum class CommandMark : std::uint8_t {
  remove,     // the command's line is removed
  uncertain,  // /ai-file becomes ?ai-file
};

struct Decision {
  std::string document{};  // its uuid
  Command command{};

  // The document at the time of the decision: what a user has changed since must not be changed.
  std::string title{};
  std::string collection{};
  std::string parent{};  // of the document; empty: none
  bool had_summary = false;
  bool had_terms = false;

  // What to do; empty fields mean no change.
  std::string new_title{};
  std::string summary{};
  std::vector<std::string> terms{};
  std::string move_to{};  // a collection's uuid
  CommandMark mark = CommandMark::remove;
  std::string comment{};

  // What was done, for the task's result.
  std::int64_t revision = 0;              // after our last change
  std::string updated_at{};               // the same, as a time
  bool is_unmarked = false;               // the line is removed, or changed to ?ai-file
  std::vector<std::string> left_alone{};  // what a user had changed: "title", "summary", …

  // The comment is the only effect of the command.
  [[nodiscard]] bool is_answer() const {
    return new_title.empty() && summary.empty() && terms.empty() && move_to.empty();
  }

  bool operator==(const Decision&) const = default;
};

// The decision as a step's data. decision_of() fails with give_up, step "decision", if the text is
// invalid.
[[nodiscard]] std::string text_of(const Decision& decision);
[[nodiscard]] Result<Decision> decision_of(std::string_view text);

}  // namespace tidemill::docs
