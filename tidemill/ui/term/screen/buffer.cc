#include "tidemill/ui/term/screen/buffer.h"

#include <cerrno>
#include <string>
#include <utility>

#include "tidemill/base/system_text.h"

namespace tidemill::term {
namespace {

struct Head {
  std::uint64_t size = 0;
  std::uint8_t kind = 0;
};

Result<void> lost() {
  return fail(Cure::give_up, "screen",
              "cannot keep output until the screen is closed: " + system_text(errno));
}

}  // namespace

Result<void> FullScreenBuffer::add(std::uint8_t kind, std::string_view bytes) {
  if (!file_) file_.reset(std::tmpfile());
  if (!file_) return lost();
  const Head head{.size = bytes.size(), .kind = kind};
  if (std::fwrite(&head, sizeof(head), 1, file_.get()) != 1) return lost();
  if (bytes.empty()) return {};
  return std::fwrite(bytes.data(), bytes.size(), 1, file_.get()) == 1 ? Result<void>() : lost();
}

Result<void> FullScreenBuffer::replay(const Take& take) {
  const auto file = std::exchange(file_, nullptr);
  if (!file) return {};
  std::rewind(file.get());
  Head head;
  std::string bytes;
  while (std::fread(&head, sizeof(head), 1, file.get()) == 1) {
    bytes.resize(head.size);
    if (head.size > 0 && std::fread(bytes.data(), head.size, 1, file.get()) != 1) return lost();
    if (auto taken = take(head.kind, bytes); !taken) return taken;
  }
  return {};
}

}  // namespace tidemill::term
