// Written: lines that an assistant wrote and that read like commands. What goes into a document is
// quoted, so that none of them is one; should the quotes and the markers ever be gone, this is how
// such a line is known again, in this run and in every later one.
//
// A file in the state folder, a line for each: a digest of the document's id and of the letters and
// digits of the line. Only what reads like a command with words behind it is kept, so it stays
// small: /summarize alone says nothing that a person could not have said.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"

namespace tidemill::docs {

// Thread-safe.
class Written {
 public:
  // Reads what is there; a last line that is not whole is left out.
  [[nodiscard]] static Result<std::unique_ptr<Written>> open(const std::string& path);

  // Before the text is sent: on disk when it returns.
  [[nodiscard]] Result<void> remember(std::string_view document, std::string_view text);
  // Whether the line, or words that it begins with, are such: what stood behind a line may have
  // been joined with it.
  [[nodiscard]] bool holds(std::string_view document, std::string_view line);

 private:
  struct State {
    Descriptor file{};
    std::unordered_set<std::string> digests{};
  };

  Written(std::string path, State state) : path_(std::move(path)), state_(std::move(state)) {}

  const std::string path_;
  Guarded<State> state_;
};

}  // namespace tidemill::docs
