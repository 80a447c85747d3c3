// A patch of a document's tree: only the blocks that the found text touches are read anew, and of
// those only what has changed. What hangs on the rest stays.
#pragma once

#include <string>

#include "tests/docs/stub/markdown.h"

namespace tidemill::docs_stub {

// 404: the text is not in the document as the server keeps it.
[[nodiscard]] Checked<Node> patched(const Node& document, const std::string& find,
                                    const std::string& text, const Rows& rows);

}  // namespace tidemill::docs_stub
