// weighed(): a file as the weigher returns it, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tidemill/jobs/batch/cut/weigher.h"

namespace tidemill::batch {

[[nodiscard]] inline Weighed weighed(std::string path, std::uint64_t tokens) {
  return {.path = std::move(path), .size = tokens * 4, .tokens = tokens, .cost = tokens};
}

}  // namespace tidemill::batch
