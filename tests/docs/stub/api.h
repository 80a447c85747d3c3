// The endpoints. Each takes the request's body (a JSON object) and gives what its answer holds
// beside "ok" and "status", or why there is none.
#pragma once

#include <string>
#include <vector>

#include "tests/docs/stub/world.h"

namespace tidemill::docs_stub {

using Endpoint = Checked<Json> (*)(World& world, const Json& body);

[[nodiscard]] Endpoint endpoint_named(const std::string& name);  // null: none

[[nodiscard]] Checked<Json> documents_info(World& world, const Json& body);
[[nodiscard]] Checked<Json> documents_list(World& world, const Json& body);
[[nodiscard]] Checked<Json> documents_search(World& world, const Json& body);
[[nodiscard]] Checked<Json> documents_create(World& world, const Json& body);
[[nodiscard]] Checked<Json> documents_update(World& world, const Json& body);
[[nodiscard]] Checked<Json> documents_move(World& world, const Json& body);

// The documents that are there and that the request's filters (or the older collectionId) let
// through.
[[nodiscard]] Checked<std::vector<const Document*>> filtered(const World& world, const Json& body);

}  // namespace tidemill::docs_stub
