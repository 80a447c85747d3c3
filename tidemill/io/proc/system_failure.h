// What the system said (errno), as a Failure: the one way of this folder to tell it.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/base/system_text.h"

namespace tidemill::proc {

// What the machine or its user is short of now, and may have again later.
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

// The same of a child that cannot be started; a shortage is no fault of the command.
[[nodiscard]] inline std::unexpected<Failure> fail_to_start(int error, std::string_view subject) {
  auto failed = fail_with(error, "start", subject);
  if (is_shortage(error)) failed.error().kind = FailureKind::shortage;
  return failed;
}

}  // namespace tidemill::proc
