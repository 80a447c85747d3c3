// Outline: what we ask of an Outline server, as its published description has it (POST
// {url}/api/<endpoint>, JSON both ways, {"data": …} in answers). An interface, so that the steps
// can be tried against a server in memory that fails wherever a test wants it to.
//
// Every call may fail with
//   later    the gate did not let it pass: nothing was sent, and the attempt does not count
//   retry    5xx, 429, timeouts, cut connections: it may or may not have had its effect
//   resume   stopped
//   give_up  401, 403, 400, an answer that is not what the description says
// 404 and 409 are answers where the type has room for them. What the server does to texts: see
// markdown.h and patch.h.
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
  std::string parent{};      // the uuid of the document that this one is below; empty: none
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

// A change of a text, told so that nothing else of it is touched. The whole of it is never sent:
// Outline would parse it anew, and the anchors of comments and empty paragraphs would be gone.
struct TextEdit {
  enum class Mode : std::uint8_t {
    patch,    // the first place at which `find` stands becomes `text`
    prepend,  // paragraphs in front of all others
    append,   // paragraphs behind all others
  };
  Mode mode = Mode::patch;
  std::string find{};
  std::string text{};
  bool operator==(const TextEdit&) const = default;
};

// What is to be changed. Nothing else of the document is.
struct Edit {
  std::optional<std::string> title{};
  std::optional<TextEdit> text{};
  std::int64_t last_revision = 0;  // the one this edit was made from
};

struct Updated {
  enum class How : std::uint8_t {
    done,
    conflict,  // the document has changed since that revision (409)
    missed,    // `find` stands nowhere in it (404)
  };
  How how = How::done;
  Document document{};  // as it is now, if it was done
};

// What is there under an id. Its words are not compared: a person may have changed them.
struct Comment {
  std::string document{};
};

enum class Posted : std::uint8_t {
  now,
  id_is_taken,  // there is a comment with this id, or there was one and somebody deleted it
};

// What servers of different ages can do. Found out by asking for what changes nothing.
struct Abilities {
  bool edits_parts = true;       // knows editMode; a server that does not would replace the text
  bool guards_revisions = true;  // keeps to lastRevision
  bool operator==(const Abilities&) const = default;
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
  // Asked with a document that we may change, once for all who use the server.
  [[nodiscard]] virtual Result<Abilities> abilities(const Document& document) = 0;
  [[nodiscard]] virtual Result<Updated> update(const std::string& id, const Edit& edit) = 0;
  [[nodiscard]] virtual Result<void> move(const std::string& id, const std::string& collection) = 0;
  // Nothing: there is none, or none any more (404).
  [[nodiscard]] virtual Result<std::optional<Comment>> comment(const std::string& id) = 0;
  // `id` is ours: a uuid of version 4, for Outline takes no other, derived from the task.
  [[nodiscard]] virtual Result<Posted> post_comment(const std::string& id,
                                                    const std::string& document,
                                                    const std::string& text) = 0;
};

}  // namespace tidemill::docs
