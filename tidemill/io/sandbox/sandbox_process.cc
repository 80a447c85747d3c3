#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/io/sandbox/confine.h"
#include "tidemill/io/sandbox/messages.h"
#include "tidemill/io/sandbox/processes.h"

namespace tidemill::sandbox {
namespace {

[[noreturn]] void leave_without_memory() { ::_exit(kOutOfMemoryExit); }

void confine_and_report(const Descriptor& talk, const SandboxLimits& limits) {
  Ready ready;
  if (auto confinement = confine(limits)) {
    ready.confinement = *confinement;
    ready.is_confined = true;
  } else {
    const std::string text = text_of(confinement.error());
    std::copy_n(text.data(), std::min(text.size(), ready.reason.size() - 1), ready.reason.data());
  }
  if (!write_all(talk.number(), bytes_of(ready)) || !ready.is_confined) ::_exit(EXIT_FAILURE);
}

std::uint64_t peak() {
  rusage usage{};
  (void)::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) << 10U;
}

// An allocator other than operator new reports a lack of memory by an exception.
std::string serve_one(const Serve& serve, std::string_view request,
                      const std::vector<Descriptor>& descriptors) {
  std::vector<int> numbers;
  for (const Descriptor& descriptor : descriptors) numbers.push_back(descriptor.number());
  try {
    return serve(request, numbers);
  } catch (const std::bad_alloc&) {
    leave_without_memory();
  }
}

bool take(const Descriptor& talk, RequestHead& head, std::string& request,
          std::vector<Descriptor>& descriptors) {
  const auto bytes = writable_bytes_of(head);
  const auto got = receive_with(talk.number(), bytes, descriptors);
  if (got <= 0) return false;
  if (!read_all(talk.number(), bytes.subspan(static_cast<std::size_t>(got)))) return false;
  if (head.mark != kRequestMark) return false;
  request.resize(head.length);
  return read_all(talk.number(), std::as_writable_bytes(std::span(request)));
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): it ends here, see processes.h
void run_sandbox(Descriptor talk, pid_t parent, const Serve& serve,
                 const SandboxLimits& limits) noexcept {
  end_with(parent);
  (void)::prctl(PR_SET_NAME, "tidemill-box");
  close_all_but(talk.number());
  std::set_new_handler(leave_without_memory);
  confine_and_report(talk, limits);
  for (;;) {
    RequestHead head;
    std::string request;
    std::vector<Descriptor> descriptors;
    if (!take(talk, head, request, descriptors)) break;
    const std::string answer = serve_one(serve, request, descriptors);
    const AnswerHead reply{.sequence = head.sequence, .length = answer.size(), .peak = peak()};
    if (!write_all(talk.number(), bytes_of(reply)) ||
        !write_all(talk.number(), std::as_bytes(std::span(answer)))) {
      break;
    }
  }
  ::_exit(EXIT_SUCCESS);
}

}  // namespace tidemill::sandbox
