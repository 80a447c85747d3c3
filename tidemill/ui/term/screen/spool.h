// FullScreenSpool: what was to be printed while the full screen stood in its place. It is kept in
// its order in a file without a name, so that commands that print much do not fill the memory, and
// goes to the terminal when the screen is left. A disk without room is a Failure of add().
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::term {

// One thread.
class FullScreenSpool {
 public:
  // `kind` is the caller's: it comes back with the bytes.
  using Take = std::function<Result<void>(std::uint8_t kind, std::string_view bytes)>;

  [[nodiscard]] Result<void> add(std::uint8_t kind, std::string_view bytes);
  // Everything in its order, in pieces; then there is nothing. Ends at the first failure.
  [[nodiscard]] Result<void> replay(const Take& take);

 private:
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;  // none: nothing was added
};

}  // namespace tidemill::term
