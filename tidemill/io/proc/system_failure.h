// What the system said (errno), as a Failure: the one way of this folder to tell it.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "tidemill/base/result.h"

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
              std::string(subject) + ": " + std::generic_category().message(error));
}

}  // namespace tidemill::proc
