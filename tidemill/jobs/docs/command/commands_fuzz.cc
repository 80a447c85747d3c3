// Any bytes as a document and as an answer: commands are parsed as written, removing one leaves the
// others, blocks are read as they were written, and tamed text contains no commands.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/text/utf8.h"
#include "tidemill/jobs/docs/command/blocks.h"
#include "tidemill/jobs/docs/command/commands.h"
#include "tidemill/jobs/docs/server/fake_outline.h"

namespace {

using tidemill::docs::BlockState;
using tidemill::docs::Command;
using tidemill::docs::MarkedBlock;

void check(bool holds) {
  if (!holds) std::abort();
}

void check_commands(std::string_view text) {
  const std::vector<Command> commands = tidemill::docs::commands_in(text);
  for (std::size_t i = 0; i < commands.size() && i < 8; ++i) {
    const Command& command = commands[i];
    check(tidemill::docs::parse_command(tidemill::docs::line_of(command)) == command);
    std::string rest(text);
    auto line = tidemill::docs::without(rest, command);
    check(line.is_there);
    for (int patches = 0; line.patch && patches < 64; ++patches) {
      const auto after = tidemill::docs::patched_by_server(rest, *line.patch);
      if (!after) break;  // no server returns such a text
      check(after->size() < rest.size());
      rest = *after;
      line = tidemill::docs::without(rest, command);
    }
    if (line.is_there) continue;
    std::vector<Command> others = commands;
    std::erase(others, command);
    check(tidemill::docs::commands_in(rest) == others);
  }
}

void check_blocks(const std::string& content) {
  for (const MarkedBlock block : {MarkedBlock::summary, MarkedBlock::terms}) {
    const std::string text = "a\n\n" + tidemill::docs::framed(block, content) + "\n\n/related";
    const auto reading = tidemill::docs::read_block(text, block);
    check(reading.state == BlockState::whole && reading.content == content);
    check(tidemill::docs::commands_in(text).size() == 1);
  }
}

std::string checked_quote(std::string_view text, std::size_t most) {
  std::string quote = tidemill::docs::quoted(text, most);
  check(quote.size() <= most && tidemill::text::is_utf8(quote));
  check(tidemill::docs::commands_in("a\n\n" + quote + "\n\n/related").size() == 1);
  check(tidemill::docs::commands_in("a\\n" + quote).empty());
  check(tidemill::docs::read_block(quote, MarkedBlock::summary).state == BlockState::none);
  const std::string tame = tidemill::docs::tamed(text, most);
  check(tame.size() <= most && tidemill::text::is_utf8(tame));
  check(!tidemill::docs::tamed_line(text, most).contains('\n'));
  return quote;
}

}  // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t half = size / 2;
  check_commands(bytes);
  check_blocks(checked_quote(bytes.substr(0, half), size == 0 ? 0 : data[0] * 4U));
  check_blocks(checked_quote(bytes, size * 4));
  return 0;
}
