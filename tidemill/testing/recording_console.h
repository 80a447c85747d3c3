// RecordingConsole: a Console that records the output of a job.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::testing {

// Thread-safe.
class RecordingConsole final : public command::Console {
 public:
  struct Said {
    std::string out{};
    std::string err{};
    std::string said{};
    std::vector<command::SettledItem> items{};
    bool is_closed = false;  // standard output has no reader
  };

  [[nodiscard]] Result<void> out(std::string_view bytes) override {
    auto said = said_.lock();
    if (said->is_closed) {
      return fail(Cure::give_up, FailureKind::closed, "output", "standard output is closed");
    }
    said->out += bytes;
    return {};
  }
  [[nodiscard]] Result<void> err(std::string_view bytes) override {
    said_.lock()->err += bytes;
    return {};
  }
  void say(command::Tone /*tone*/, std::string_view text) override {
    said_.lock()->said.append(text).append("\n");
  }
  void show(const engine::ProgressSnapshot& /*snapshot*/) override {}
  [[nodiscard]] bool wants_items() const override { return true; }
  void settled(command::SettledItem&& item) override {
    said_.lock()->items.push_back(std::move(item));
  }

  void close() { said_.lock()->is_closed = true; }
  [[nodiscard]] Said said() { return *said_.lock(); }

 private:
  Guarded<Said> said_;
};

}  // namespace tidemill::testing
