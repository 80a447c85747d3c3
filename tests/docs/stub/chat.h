// Chat: the other server, an OpenAI-compatible /v1/chat/completions. It knows nothing and says so:
// its answers are made of the prompt, a counter and words in the prompt that steer it (README).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/docs/stub/world.h"

namespace tidemill::docs_stub {

struct ChatAnswer {
  int status = 200;
  Json body{};
  std::int64_t ms = 0;           // to wait before it is given
  std::int64_t retry_after = 0;  // seconds; 0: none
};

// One thread: the stub's lock is held around every call.
class Chat {
 public:
  [[nodiscard]] ChatAnswer answer(const World& world, const Json& body);

 private:
  [[nodiscard]] std::string text_for(const World& world, const std::string& prompt,
                                     const std::string& user, bool wants_json, int asked);

  std::map<std::uint64_t, int> asked_;  // about the same, see chat.cc
  int answers_ = 0;
};

}  // namespace tidemill::docs_stub
