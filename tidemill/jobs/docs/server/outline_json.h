// The JSON of Outline's API: request bodies exactly as in the published description, and validating
// parsers for the answers. Makes no network calls.
//
// An answer is refused, with a reason, if a field that we need is missing or has the wrong type: an
// id that is not a UUID, a revision that is not an integer from 0, a text that is not a string.
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

// The most characters of text that documents.update allows, by the description.
inline constexpr std::size_t kMostCharacters = 1'536'000;
// Counts as the server does: characters beyond U+FFFF are two.
[[nodiscard]] std::size_t characters_in(std::string_view text);

[[nodiscard]] std::string page_body(std::size_t offset, std::size_t limit);  // collections.list
[[nodiscard]] std::string list_body(const OutlineListing& listing);
[[nodiscard]] std::string search_body(const std::string& query, std::size_t limit);
[[nodiscard]] std::string id_body(const std::string& id);  // documents.info, comments.info
// Refused by a server that supports editMode; changes nothing on any other.
[[nodiscard]] std::string edit_mode_probe(const std::string& id);
// Refused by a server that checks lastRevision; changes nothing on any other.
[[nodiscard]] std::string revision_probe(const std::string& id, std::int64_t revision);
[[nodiscard]] std::string update_body(const std::string& id, const Edit& edit);
[[nodiscard]] std::string move_body(const std::string& id, const std::string& collection);
[[nodiscard]] std::string comment_body(const std::string& id, const std::string& document,
                                       const std::string& text);

template <class T>
using Read = std::expected<T, std::string>;  // the error is the reason

// The "data" of an answer: the input of the functions below.
[[nodiscard]] Read<jsonl::Json> data_of(std::string_view answer);

[[nodiscard]] Read<std::string> user_of(const jsonl::Json& data);
[[nodiscard]] Read<OutlineDocument> document_of(const jsonl::Json& data);
[[nodiscard]] Read<std::vector<OutlineDocument>> documents_of(const jsonl::Json& data);
[[nodiscard]] Read<std::vector<Hit>> hits_of(const jsonl::Json& data);
[[nodiscard]] Read<Comment> comment_of(const jsonl::Json& data);
// Includes archived and deleted collections: they count for paging.
struct ListedCollection {
  OutlineCollection collection{};
  bool is_gone = false;
};
[[nodiscard]] Read<std::vector<ListedCollection>> collections_of(const jsonl::Json& data);
// The id of the returned document or comment, which must be the expected one.
[[nodiscard]] Read<std::string> id_of(const jsonl::Json& data, std::string_view expected);

}  // namespace tidemill::docs
