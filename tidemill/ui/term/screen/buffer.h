// FullScreenBuffer: keeps the output that cannot be printed while the full screen is open. It is
// kept in order in an unnamed temporary file, so that commands with much output do not fill the
// memory, and is printed when the screen is closed. add() fails if the disk is full.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::term {

// One thread.
class FullScreenBuffer {
 public:
  // `kind` is a value of the caller, returned with the bytes.
  using Take = std::function<Result<void>(std::uint8_t kind, std::string_view bytes)>;

  [[nodiscard]] Result<void> add(std::uint8_t kind, std::string_view bytes);
  // Passes everything to `take`, in order, piece by piece, and empties the buffer. Ends at the
  // first failure.
  [[nodiscard]] Result<void> replay(const Take& take);

 private:
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;  // null: empty
};

}  // namespace tidemill::term
