// Parser: parses the bytes from a server into replies, with hiredis. The bytes are untrusted: an
// invalid reply, one nested deeper than kMostDepth lists, or one above the size limits is a failure
// (Cure::give_up), and the parser must not be used after it. The depth is checked here because
// newer versions of hiredis have no limit, and copying, comparing or destroying a reply uses stack
// for each level.
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

// One thread. Not movable: the reader points to it.
class Parser {
 public:
  Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  [[nodiscard]] Result<void> feed(std::string_view bytes);
  // The next complete reply, or null. The caller may move from it; it is valid until the next call,
  // which reuses its memory.
  [[nodiscard]] Result<Reply*> next();
  // All fed bytes have been returned in replies.
  [[nodiscard]] bool is_empty() const;

  static constexpr std::size_t kMostBytes = std::size_t{512} << 20U;  // of a text: Redis's limit
  static constexpr std::size_t kMostItems = std::size_t{1} << 20U;    // of a reply, nested ones too
  static constexpr std::size_t kMostDepth = 7;  // nested lists; our commands return at most 5

 private:
  friend struct Builder;  // the callbacks for hiredis
  std::unique_ptr<redisReader, ReaderEnd> reader_;
  Reply root_{};
  std::size_t items_ = 0;
  bool is_too_deep_ = false;
};

}  // namespace tidemill::redis
