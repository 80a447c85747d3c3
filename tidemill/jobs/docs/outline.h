// Outline: what we ask of an Outline server, as its published description has it (POST
// {url}/api/<endpoint>, JSON both ways, {"data": …} in answers). An interface, so that the steps
// can be tried against a server in memory that fails wherever a test wants it to.
//
// Every call may fail with
//   later    the gate did not let it pass: nothing was sent, and the attempt does not count
//   retry    5xx, 429, timeouts, cut connections: it may or may not have had its effect
//   resume   stopped
//   give_up  401, 403, 400, an answer that is not what the description says
// 404 and 409 are answers where the type has room for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::docs {

struct Document {
  std::string id{};  // a uuid
  std::string title{};
  std::string text{};        // markdown
  std::string collection{};  // a uuid; empty: a draft without one
  std::string url{};         // the path of its page
  std::string updated_at{};  // as the server writes it; later times sort later
  std::int64_t revision = 0;
  bool is_gone = false;  // archived or deleted: not to be touched
  bool operator==(const Document&) const = default;
};

struct Collection {
  std::string id{};
  std::string name{};
  std::string description{};
  bool operator==(const Collection&) const = default;
};

struct Listing {
  std::string collection{};  // a uuid; empty: all
  std::size_t offset = 0;
  std::size_t limit = 100;  // newest change first
};

// What is to be changed. Nothing else of the document is.
struct Edit {
  std::optional<std::string> title{};
  std::optional<std::string> text{};  // the whole of it
  std::int64_t last_revision = 0;     // the one this edit was made from
};

struct Hit {
  Document document{};
  std::string context{};  // the words around what was found
};

// One thread.
class Outline {
 public:
  virtual ~Outline() = default;

  // A step begins. Its turn at `endpoint`, the scarcest of those it will ask, is taken first; from
  // here on its calls go before those of steps that only begin. Fails with `later` alone.
  [[nodiscard]] virtual Result<void> begin(const std::string& /*endpoint*/) { return {}; }

  [[nodiscard]] virtual Result<std::string> who() = 0;  // auth.info: the name of our user
  [[nodiscard]] virtual Result<std::vector<Collection>> collections() = 0;  // all pages
  [[nodiscard]] virtual Result<std::vector<Document>> list(const Listing& listing) = 0;
  [[nodiscard]] virtual Result<std::vector<Hit>> search(const std::string& query,
                                                        std::size_t limit) = 0;
  // Nothing: there is none (404).
  [[nodiscard]] virtual Result<std::optional<Document>> document(const std::string& id) = 0;
  // The document as it is now; nothing: a conflict.
  [[nodiscard]] virtual Result<std::optional<Document>> update(const std::string& id,
                                                               const Edit& edit) = 0;
  [[nodiscard]] virtual Result<void> move(const std::string& id, const std::string& collection) = 0;
  [[nodiscard]] virtual Result<bool> has_comment(const std::string& id) = 0;  // comments.info
  // `id` is ours: a uuid derived from the task. The caller has looked that there is none yet.
  [[nodiscard]] virtual Result<void> comment(const std::string& id, const std::string& document,
                                             const std::string& text) = 0;
};

}  // namespace tidemill::docs
