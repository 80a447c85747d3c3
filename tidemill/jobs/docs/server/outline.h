// Outline: the calls we make to an Outline server, following its published description (POST
// {url}/api/<endpoint>, JSON both ways, {"data": …} in answers). An interface, so that tests can
// use a server in memory that fails at any call.
//
// Every call may fail with
//   later    the gate refused it: nothing was sent, and the attempt does not count
//   retry    5xx, 429, timeouts, lost connections: the call may or may not have had its effect
//   resume   stopped
//   give_up  401, 403, 400, an answer that does not match the description
// 404 and 409 are results where the return type can express them. markdown.h and patch.h describe
// what the server does to texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::docs {

struct OutlineDocument {
  std::string id{};  // a uuid
  std::string title{};
  std::string text{};        // markdown
  std::string collection{};  // a uuid; empty: a draft without one
  std::string parent{};      // the uuid of the parent document; empty: none
  std::string url{};         // the path of its page
  std::string updated_at{};  // as the server writes it; later times sort later
  std::int64_t revision = 0;
  bool is_gone = false;  // archived or deleted: not to be touched
  bool operator==(const OutlineDocument&) const = default;
};

struct OutlineCollection {
  std::string id{};
  std::string name{};
  std::string description{};
  bool operator==(const OutlineCollection&) const = default;
};

struct OutlineListing {
  std::string collection{};  // a uuid; empty: all
  std::size_t offset = 0;
  std::size_t limit = 100;  // newest change first
};

// A change of part of a text. The complete text is never sent: Outline would parse it again, and
// the anchors of comments and empty paragraphs would be lost.
struct TextEdit {
  enum class Mode : std::uint8_t {
    patch,    // the first occurrence of `find` becomes `text`
    prepend,  // adds paragraphs before all others
    append,   // adds paragraphs after all others
  };
  Mode mode = Mode::patch;
  std::string find{};
  std::string text{};
  bool operator==(const TextEdit&) const = default;
};

// A change of a document. Fields that are not set are not changed.
struct Edit {
  std::optional<std::string> title{};
  std::optional<TextEdit> text{};
  std::int64_t last_revision = 0;  // the one this edit was made from
};

struct Updated {
  enum class How : std::uint8_t {
    done,
    conflict,  // the document has changed since that revision (409)
    missed,    // `find` does not occur in it (404)
  };
  How how = How::done;
  OutlineDocument document{};  // the document after the change, if `done`
};

// An existing comment. Its text is not compared: a user may have changed it.
struct Comment {
  std::string document{};
};

enum class Posted : std::uint8_t {
  now,
  id_is_taken,  // a comment with this id exists, or existed and was deleted
};

// What depends on the server's version. Probed with requests that change nothing.
struct Abilities {
  bool edits_parts = true;       // supports editMode; otherwise an edit would replace the text
  bool guards_revisions = true;  // checks lastRevision
  bool operator==(const Abilities&) const = default;
};

struct Hit {
  OutlineDocument document{};
  std::string context{};  // the words around the match
};

// One thread.
class Outline {
 public:
  virtual ~Outline() = default;

  // Begins a step: acquires the rate limit of `endpoint`, the tightest of those the step will call.
  // From here on its calls take precedence over those of steps that have not begun. Fails only with
  // `later`.
  [[nodiscard]] virtual Result<void> begin(const std::string& /*endpoint*/) { return {}; }

  [[nodiscard]] virtual Result<std::string> who() = 0;  // auth.info: the name of our user
  [[nodiscard]] virtual Result<std::vector<OutlineCollection>> collections() = 0;  // all pages
  [[nodiscard]] virtual Result<std::vector<OutlineDocument>> list(
      const OutlineListing& listing) = 0;
  [[nodiscard]] virtual Result<std::vector<Hit>> search(const std::string& query,
                                                        std::size_t limit) = 0;
  // Empty if there is none (404).
  [[nodiscard]] virtual Result<std::optional<OutlineDocument>> document(const std::string& id) = 0;
  // Probes with a document that we may change; the result is shared by all workers.
  [[nodiscard]] virtual Result<Abilities> abilities(const OutlineDocument& document) = 0;
  [[nodiscard]] virtual Result<Updated> update(const std::string& id, const Edit& edit) = 0;
  [[nodiscard]] virtual Result<void> move(const std::string& id, const std::string& collection) = 0;
  // Empty if there is none, or it was deleted (404).
  [[nodiscard]] virtual Result<std::optional<Comment>> comment(const std::string& id) = 0;
  // We choose `id`: derived from the task, in the form of a version 4 UUID, because Outline accepts
  // no other version.
  [[nodiscard]] virtual Result<Posted> post_comment(const std::string& id,
                                                    const std::string& document,
                                                    const std::string& text) = 0;
};

}  // namespace tidemill::docs
