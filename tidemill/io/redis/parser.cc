#include "tidemill/io/redis/parser.h"

#include <hiredis/read.h>

#include <algorithm>
#include <string>

#include "tidemill/io/redis/call_deadline.h"

namespace tidemill::redis {
namespace {

constexpr std::size_t kKept = 256U << 10U;
constexpr std::size_t kLongestLine = 64U << 10U;

}  // namespace

// A list grows item by item, because its announced length is untrusted. So an item may move while
// its list grows, but never while the item is itself a list being read: replies are read depth
// first.
struct Builder {
  // The place of the next value. Null if there are too many; hiredis takes that as out of memory.
  static Reply* place(const redisReadTask* task, Reply::Kind kind) {
    auto& parser = *static_cast<Parser*>(task->privdata);
    if (task->parent == nullptr) {
      parser.items_ = 0;
      return emptied(parser.root_, kind);
    }
    if (++parser.items_ > Parser::kMostItems) return nullptr;
    Reply& item = static_cast<Reply*>(task->parent->obj)->items.emplace_back();
    item.kind = kind;
    return &item;
  }

  // Reuses the memory of the previous reply, unless it was unusually large.
  static Reply* emptied(Reply& root, Reply::Kind kind) {
    if (root.text.capacity() > kKept || root.items.capacity() * sizeof(Reply) > kKept) root = {};
    root.kind = kind;
    root.number = 0;
    root.text.clear();
    root.items.clear();
    return &root;
  }

  static void* text(const redisReadTask* task, char* bytes, std::size_t size) {
    const bool is_text = task->type == REDIS_REPLY_STRING;
    const bool is_error = task->type == REDIS_REPLY_ERROR;
    Reply* const reply = place(task, is_text    ? Reply::Kind::text
                                     : is_error ? Reply::Kind::error
                                                : Reply::Kind::status);
    if (reply != nullptr) reply->text.assign(bytes, size);
    return reply;
  }

  static bool is_too_deep(const redisReadTask* list) {
    std::size_t depth = 0;
    for (const auto* in = list; in != nullptr && depth <= Parser::kMostDepth; in = in->parent) {
      ++depth;
    }
    if (depth > Parser::kMostDepth) static_cast<Parser*>(list->privdata)->is_too_deep_ = true;
    return depth > Parser::kMostDepth;
  }

  template <class Count>  // int; size_t in later versions of hiredis
  static void* list(const redisReadTask* task, Count count) {
    constexpr std::size_t kTrusted = 64;
    if (is_too_deep(task)) return nullptr;
    Reply* const reply = place(task, Reply::Kind::list);
    if (reply != nullptr) {
      reply->items.reserve(std::min(static_cast<std::size_t>(count), kTrusted));
    }
    return reply;
  }

  static void* integer(const redisReadTask* task, long long number) {
    Reply* const reply = place(task, Reply::Kind::integer);
    if (reply != nullptr) reply->number = number;
    return reply;
  }

  static void* nil(const redisReadTask* task) { return place(task, Reply::Kind::nil); }

  static void release(void* /*reply*/) {}  // all replies are inside the root
};

namespace {

redisReplyObjectFunctions* functions() {
  static redisReplyObjectFunctions all = [] {  // NOLINT: hiredis wants it writable
    redisReplyObjectFunctions made{};
    made.createString = &Builder::text;
    made.createArray = &Builder::list;
    made.createInteger = &Builder::integer;
    made.createNil = &Builder::nil;
    made.freeObject = &Builder::release;
    return made;
  }();
  return &all;
}

}  // namespace

void ReaderEnd::operator()(redisReader* reader) const { redisReaderFree(reader); }

Parser::Parser() : reader_(redisReaderCreateWithFunctions(functions())) {
  if (reader_ == nullptr) return;
  reader_->privdata = this;
  reader_->maxbuf = kKept;
}

Result<void> Parser::feed(std::string_view bytes) {
  if (reader_ == nullptr) return fail(Cure::retry, "not enough memory");
  if (reader_->len - reader_->pos + bytes.size() > kMostBytes + kLongestLine) {
    return fail(Cure::give_up, "reply too large");
  }
  if (redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK) {
    return fail(Cure::give_up, "invalid reply");
  }
  return {};
}

Result<Reply*> Parser::next() {
  void* found = nullptr;
  if (redisReaderGetReply(reader_.get(), &found) != REDIS_OK) {
    if (is_too_deep_) return fail(Cure::give_up, "reply nested too deeply");
    return fail(Cure::give_up, items_ > kMostItems ? "reply too large" : "invalid reply");
  }
  if (found == nullptr) return nullptr;
  if (found != &root_) return fail(Cure::give_up, "reply of an unknown type");
  return &root_;
}

bool Parser::is_empty() const {
  if (reader_ == nullptr) return true;
  const bool has_begun = reader_->ridx > 0 || (reader_->ridx == 0 && reader_->rstack[0].type >= 0);
  return reader_->pos == reader_->len && !has_begun;
}

}  // namespace tidemill::redis
