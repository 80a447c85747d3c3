// Any bytes as a document and as an answer: commands come out as they are written, taking one out
// leaves the others, blocks are read as they were put in, and what was tamed orders nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/jobs/docs/blocks.h"
#include "tidemill/jobs/docs/commands.h"
#include "tidemill/text/utf8.h"

namespace {

using tidemill::docs::Block;
using tidemill::docs::BlockState;
using tidemill::docs::Command;

void check(bool holds) {
  if (!holds) std::abort();
}

void check_commands(std::string_view text) {
  const std::vector<Command> commands = tidemill::docs::commands_in(text);
  for (std::size_t i = 0; i < commands.size() && i < 8; ++i) {
    const Command& command = commands[i];
    check(tidemill::docs::parse_command(tidemill::docs::line_of(command)) == command);
    const auto rest = tidemill::docs::without(text, command);
    if (!rest) std::abort();
    check(rest->size() < text.size());
    std::vector<Command> others = commands;
    std::erase(others, command);
    check(tidemill::docs::commands_in(*rest) == others);
    const auto same = tidemill::docs::replaced(text, command, command);
    if (!same) std::abort();
    check(tidemill::docs::commands_in(*same) == commands);
  }
}

void check_blocks(std::string_view text, const std::string& content) {
  for (const Block block : {Block::summary, Block::terms}) {
    const auto before = tidemill::docs::read_block(text, block);
    const auto after = tidemill::docs::with_block(text, block, content);
    check(after.has_value() == (before.state != BlockState::broken));
    if (!after) continue;
    const auto reading = tidemill::docs::read_block(*after, block);
    check(reading.state == BlockState::whole && reading.content == content);
    check(tidemill::docs::with_block(*after, block, content) == after);
    check(tidemill::docs::commands_in(*after) == tidemill::docs::commands_in(text));
  }
}

std::string checked_tame(std::string_view text, std::size_t most) {
  std::string tame = tidemill::docs::tamed(text, most);
  check(tame.size() <= most && tidemill::text::is_utf8(tame));
  check(tidemill::docs::commands_in(tame).empty());
  check(tidemill::docs::commands_in("a\n" + tame + "\n/related\n").size() == 1);
  check(tidemill::docs::read_block(tame, Block::summary).state == BlockState::none);
  check(tidemill::docs::tamed(tame, most) == tame);
  const std::string line = tidemill::docs::tamed_line(text, most);
  check(line.size() <= most && !line.contains('\n') && tidemill::docs::commands_in(line).empty());
  return tame;
}

}  // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t half = size / 2;
  check_commands(bytes);
  const std::string tame = checked_tame(bytes.substr(0, half), size == 0 ? 0 : data[0] * 4U);
  check_blocks(bytes.substr(half), tame);
  check_blocks(bytes, checked_tame(bytes, size * 4));
  return 0;
}
