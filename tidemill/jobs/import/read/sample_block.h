// block_of: a block of lines as the reader would produce it, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tidemill/formats/jsonl/blocks.h"

namespace tidemill::import {

[[nodiscard]] inline jsonl::Block block_of(std::string_view text, std::uint64_t first_line,
                                           std::uint64_t offset) {
  jsonl::Block block;
  EXPECT_TRUE(block.buffer.reserve(text.size()));
  std::memcpy(block.buffer.data(), text.data(), text.size());
  block.size = text.size();
  block.first_line = first_line;
  block.offset = offset;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') block.ends.push_back(static_cast<std::uint32_t>(i));
  }
  block.is_cut = !text.empty() && text.back() != '\n';
  if (block.is_cut) block.ends.push_back(static_cast<std::uint32_t>(text.size()));
  return block;
}

}  // namespace tidemill::import
