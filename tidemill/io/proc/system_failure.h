// An errno as a Failure, for all code in this folder.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/base/system_text.h"

namespace tidemill::proc {

// A resource that the machine or the user has run out of and that may become available again.
[[nodiscard]] inline bool is_shortage(int error) {
  return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE ||
         error == ENOSPC || error == EDQUOT || error == ETXTBSY;
}

// "subject: No such file or directory".
[[nodiscard]] inline std::unexpected<Failure> fail_with(int error, std::string step,
                                                        std::string_view subject) {
  return fail(is_shortage(error) ? Cure::retry : Cure::give_up, std::move(step),
              std::string(subject) + ": " + system_text(error));
}

// The same for a child that cannot be started; a shortage is not the fault of the command.
[[nodiscard]] inline std::unexpected<Failure> fail_to_start(int error, std::string_view subject) {
  auto failed = fail_with(error, "start", subject);
  if (is_shortage(error)) failed.error().kind = FailureKind::shortage;
  return failed;
}

}  // namespace tidemill::proc
