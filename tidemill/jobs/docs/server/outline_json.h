// What goes to Outline and what comes back, as JSON: the bodies of requests, exactly as the
// published description has them, and answers read with a sceptical eye. Nothing here knows of a
// network.
//
// An answer is refused, with the reason alone, when what we need of it is missing or of another
// kind: an id that is no uuid, a revision that is no whole number from 0 on, a text that is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/jsonl/tree.h"
#include "tidemill/jobs/docs/server/outline.h"

namespace tidemill::docs {

// Of documents.update: the description allows so many characters of text.
inline constexpr std::size_t kMostCharacters = 1'536'000;
// As the server counts them: those beyond U+FFFF are two.
[[nodiscard]] std::size_t characters_in(std::string_view text);

[[nodiscard]] std::string page_body(std::size_t offset, std::size_t limit);  // collections.list
[[nodiscard]] std::string list_body(const Listing& listing);
[[nodiscard]] std::string search_body(const std::string& query, std::size_t limit);
[[nodiscard]] std::string id_body(const std::string& id);  // documents.info, comments.info
// What a server that knows editMode refuses, and every other takes for no change at all.
[[nodiscard]] std::string edit_mode_probe(const std::string& id);
// What a server that guards revisions refuses, and every other takes for no change at all.
[[nodiscard]] std::string revision_probe(const std::string& id, std::int64_t revision);
[[nodiscard]] std::string update_body(const std::string& id, const Edit& edit);
[[nodiscard]] std::string move_body(const std::string& id, const std::string& collection);
[[nodiscard]] std::string comment_body(const std::string& id, const std::string& document,
                                       const std::string& text);

template <class T>
using Read = std::expected<T, std::string>;  // or why not

// The "data" of an answer; the others read it.
[[nodiscard]] Read<jsonl::Json> data_of(std::string_view answer);

[[nodiscard]] Read<std::string> user_of(const jsonl::Json& data);
[[nodiscard]] Read<Document> document_of(const jsonl::Json& data);
[[nodiscard]] Read<std::vector<Document>> documents_of(const jsonl::Json& data);
[[nodiscard]] Read<std::vector<Hit>> hits_of(const jsonl::Json& data);
[[nodiscard]] Read<Comment> comment_of(const jsonl::Json& data);
// Those that are archived or deleted too: whoever turns pages has to count them.
struct ListedCollection {
  Collection collection{};
  bool is_gone = false;
};
[[nodiscard]] Read<std::vector<ListedCollection>> collections_of(const jsonl::Json& data);
// The id of what was asked for, a document or a comment: it must be the one we named.
[[nodiscard]] Read<std::string> id_of(const jsonl::Json& data, std::string_view expected);

}  // namespace tidemill::docs
