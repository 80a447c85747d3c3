// ForkServer: a process whose only task is to fork sandboxes, which are child processes that handle
// untrusted bytes and can do nothing else.
//
//   program ──control──► fork server ──fork──► sandbox
//      │  ◄───status────────┘                     │
//      └───────────── request, answer ────────────┘
//
// The fork server and every sandbox set PR_SET_PDEATHSIG: each is killed when its parent ends.
//
// The fork server is forked before the program has a second thread, so no fork ever happens in a
// multi-threaded program, and a sandbox starts small. All sandboxes share what `serve` refers to
// when start() is called: build tables before that. Call start() on the main thread, because the
// fork server dies with the thread that created it. The fork server never sees a byte of a request,
// and both it and the sandboxes run with an empty environment.
//
// start() fails when a process or a descriptor cannot be created, and when a sandbox cannot be
// confined.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/io/sandbox/limits.h"

namespace tidemill::sandbox {

// Computes the answer to a request. The descriptors came with the request and are closed
// afterwards. It runs in the sandbox: it may crash, loop or exhaust memory, and changes to memory
// stay in the sandbox. An attempt to open a file fails (EACCES); any other system call that the
// filter does not allow kills the sandbox.
using Serve =
    std::function<std::string(std::string_view request, std::span<const int> descriptors)>;

// Thread-safe. Outlives its sandboxes.
class ForkServer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ForkServer>> start(const Serve& serve,
                                                                 SandboxLimits limits = {});
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;
  ~ForkServer();  // kills every sandbox and waits for the fork server

  // The restrictions in force on this machine, found by start() with a first sandbox.
  [[nodiscard]] Confinement confinement() const { return confinement_; }
  [[nodiscard]] const SandboxLimits& limits() const { return limits_; }

 private:
  friend class Sandbox;

  // A sandbox that is ready for its first request.
  struct Child {
    Descriptor talk;    // requests and answers; bytes read from it are untrusted
    Descriptor status;  // from the fork server: how the sandbox ended
    Descriptor pidfd;
    pid_t pid = -1;
    Confinement confinement{};
  };

  ForkServer(Descriptor control, pid_t pid, SandboxLimits limits);
  [[nodiscard]] Result<Child> start_sandbox() const;

  Descriptor control_;
  pid_t pid_ = -1;
  SandboxLimits limits_;
  Confinement confinement_;
};

}  // namespace tidemill::sandbox
