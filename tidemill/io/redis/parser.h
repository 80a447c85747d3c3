// Parser: bytes of a server become replies; hiredis reads the protocol. The bytes are a stranger's:
// what is no reply, is nested deeper than kMostDepth lists, or would take more memory than any
// reply of ours is worth, is a failure (Cure::give_up), and the parser is of no use after it. The
// depth is looked at here: older versions of hiredis have a limit, newer ones grow, and to copy,
// compare or end a reply takes stack for each list in a list.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/reply.h"

struct redisReader;  // NOLINT(readability-identifier-naming): of hiredis

namespace tidemill::redis {

struct ReaderEnd {
  void operator()(redisReader* reader) const;
};

// One thread. It stays where it is: the reader points into it.
class Parser {
 public:
  Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  [[nodiscard]] Result<void> feed(std::string_view bytes);
  // The next whole reply, or null. It is the caller's to take from, and good until the next call:
  // its memory is used again.
  [[nodiscard]] Result<Reply*> next();
  // Nothing was fed that is not in a reply yet.
  [[nodiscard]] bool is_empty() const;

  static constexpr std::size_t kMostBytes = std::size_t{512} << 20U;  // of a text: Redis's own
  static constexpr std::size_t kMostItems = std::size_t{1} << 20U;    // of a reply, lists in lists
  static constexpr std::size_t kMostDepth = 7;  // lists in lists; no reply of ours has more than 5

 private:
  friend struct Builder;  // what hiredis calls
  std::unique_ptr<redisReader, ReaderEnd> reader_;
  Reply root_{};
  std::size_t items_ = 0;
  bool is_too_deep_ = false;
};

}  // namespace tidemill::redis
