#include "tidemill/io/web/incoming.h"

#include <algorithm>

namespace tidemill::web {

const std::string* Incoming::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
  return found == headers.end() ? nullptr : &found->second;
}

}  // namespace tidemill::web
