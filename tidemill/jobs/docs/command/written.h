// Written: remembers lines that an assistant wrote and that look like commands. Such text is quoted
// in documents, so that it is not executed; if the quotes and the markers are ever lost, this file
// identifies the line, in this run and in every later one.
//
// A file in the state folder with one line each: a digest of the document's id and of the letters
// and digits of the line. Only lines that look like a command with an argument are stored, so the
// file stays small: /summarize alone could as well come from a user.
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
  // Reads the existing file; ignores an incomplete last line.
  [[nodiscard]] static Result<std::unique_ptr<Written>> open(const std::string& path);

  // Call it before the text is sent: the lines are on disk when it returns.
  [[nodiscard]] Result<void> remember(std::string_view document, std::string_view text);
  // Whether an assistant wrote the line or the beginning of it: Outline may have joined other text
  // to its end.
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
