// How things of the World look in answers: with the types and formats of Outline's published
// description. A document that is presented counts as shown.
#pragma once

#include <string>
#include <vector>

#include "tests/docs/stub/world.h"

namespace tidemill::docs_stub {

[[nodiscard]] Json user_json();  // ours: the one the key belongs to
[[nodiscard]] Json team_json();
[[nodiscard]] Json collection_json(const Collection& collection);
[[nodiscard]] Json document_json(World& world, const Document& document);
[[nodiscard]] Json comment_json(const Comment& comment);
[[nodiscard]] Json policies_json(const std::vector<std::string>& ids);
[[nodiscard]] Json page_json(const std::string& endpoint, const Page& page, std::size_t total);

}  // namespace tidemill::docs_stub
