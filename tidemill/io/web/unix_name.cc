#include "tidemill/io/web/unix_name.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"

namespace tidemill::web {
namespace {

constexpr mode_t kPrivate = 0600;
constexpr mode_t kPermissions = 0777;
constexpr int kLockTries = 100;

std::unexpected<Failure> refuse_name(const std::string& path, const std::string& why) {
  return fail(Cure::give_up, "listen", "unix:" + path + ": " + why);
}

std::string lock_path_of(const std::string& path) { return path + ".lock"; }

Descriptor new_socket() {
  return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

sockaddr_un name_for(const std::string& path) {
  sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
  std::ranges::copy(path, std::begin(name.sun_path));  // listen_at() has checked the length
  return name;
}

// NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): that is how sockets have it
int bind_to(const Descriptor& socket, const std::string& path) {
  const sockaddr_un name = name_for(path);
  return bind(socket.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name);
}

int connect_to(const Descriptor& socket, const std::string& path) {
  const sockaddr_un name = name_for(path);
  return connect(socket.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name);
}
// NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)

// Whether the path names the file that is open here.
bool is_at(const Descriptor& open, const std::string& path) {
  struct stat ours{};
  struct stat named{};
  return open.is_open() && fstat(open.number(), &ours) == 0 && lstat(path.c_str(), &named) == 0 &&
         ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

bool is_socket(const std::string& path) {
  struct stat file{};
  return lstat(path.c_str(), &file) == 0 && S_ISSOCK(file.st_mode);
}

}  // namespace

UnixName& UnixName::operator=(UnixName&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::move(other.path_);
    lock_ = std::move(other.lock_);
    own_ = std::move(other.own_);
  }
  return *this;
}

// The lock file goes last and under its lock: whoever opened it meanwhile sees in take_lock() that
// it is not at its path any more.
void UnixName::remove() {
  if (is_at(own_, path_)) (void)unlink(path_.c_str());
  own_.close();
  if (is_at(lock_, lock_path_of(path_))) (void)unlink(lock_path_of(path_).c_str());
  lock_.close();
}

Result<Descriptor> UnixName::listen_at(std::string_view path) {
  path_ = path;
  if (!path.starts_with('/')) return refuse_name(path_, "not an absolute path");
  if (path.contains('\0')) return refuse_name(path_, "contains a NUL");
  if (path.size() > kMostPath) {
    return refuse_name(path_, "longer than " + std::to_string(kMostPath) + " bytes");
  }
  TRY(take_lock());
  TRY(expect_nobody());
  const std::string hidden = path_ + ".new";
  LET(Descriptor socket, bound_socket(hidden));
  if (listen(socket.number(), SOMAXCONN) != 0 || rename(hidden.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    (void)unlink(hidden.c_str());
    return refuse_name(path_, system_text(error));
  }
  return socket;
}

Result<void> UnixName::take_lock() {
  const std::string path = lock_path_of(path_);
  for (int tries = 0; tries < kLockTries; ++tries) {
    Descriptor lock(
        open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kPrivate));
    if (!lock.is_open()) return refuse_name(path_, path + ": " + system_text(errno));
    struct stat file{};
    if (fstat(lock.number(), &file) != 0 || !S_ISREG(file.st_mode) || file.st_uid != geteuid()) {
      return refuse_name(path_, path + ": not a file of this user");
    }
    if (flock(lock.number(), LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      return refuse_name(path_, system_text(error == EWOULDBLOCK ? EADDRINUSE : error));
    }
    if (is_at(lock, path)) {
      lock_ = std::move(lock);
      return {};
    }
  }  // its previous owner has removed it after we opened it
  return refuse_name(path_, system_text(EADDRINUSE));
}

// A program without our lock may listen here. A full backlog (EAGAIN) and another type of socket
// (EPROTOTYPE) are signs of life, too.
Result<void> UnixName::expect_nobody() const {
  struct stat file{};
  if (lstat(path_.c_str(), &file) != 0) {
    if (errno == ENOENT) return {};
    return refuse_name(path_, system_text(errno));
  }
  if (!S_ISSOCK(file.st_mode)) return refuse_name(path_, "exists and is not a socket");
  const Descriptor socket = new_socket();
  if (!socket.is_open()) return refuse_name(path_, system_text(errno));
  if (connect_to(socket, path_) == 0 || errno == EAGAIN || errno == EPROTOTYPE) {
    return refuse_name(path_, system_text(EADDRINUSE));
  }
  if (errno == ECONNREFUSED || errno == ENOENT) return {};
  return refuse_name(path_, system_text(errno));
}

// On Linux, the mode of a socket before bind() becomes the mode of its name. Nobody can connect
// before listen(), so a system where this does not hold is noticed in time.
Result<Descriptor> UnixName::bound_socket(const std::string& path) {
  if (is_socket(path)) (void)unlink(path.c_str());  // of a process that died between two steps
  Descriptor socket = new_socket();
  if (!socket.is_open() || fchmod(socket.number(), kPrivate) != 0 || bind_to(socket, path) != 0) {
    return refuse_name(path_, system_text(errno));
  }
  own_ = Descriptor(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat file{};
  if (!own_.is_open() || fstat(own_.number(), &file) != 0 || !S_ISSOCK(file.st_mode) ||
      (file.st_mode & kPermissions) != kPrivate || file.st_uid != geteuid()) {
    (void)unlink(path.c_str());
    return refuse_name(path_, "cannot be made private");
  }
  return socket;
}

}  // namespace tidemill::web
