#include "tidemill/testing/redis_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

namespace tidemill::testing {
namespace {

constexpr const char* kServer = "/usr/bin/redis-server";

// Starts a program that dies with this thread; its output goes to the file.
pid_t start_program(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT: execv() does not write to it
  }
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  const int nothing = ::open("/dev/null", O_RDONLY);
  const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(nothing, 0);
  ::dup2(file, 1);
  ::dup2(file, 2);
  ::close_range(3, ~0U, 0);
  ::execv(arguments.front(), arguments.data());
  ::_exit(127);
}

bool run_program(const std::vector<std::string>& words, const std::string& output) {
  const pid_t pid = start_program(words, output);
  int status = 0;
  return pid > 0 && ::waitpid(pid, &status, 0) == pid && status == 0;
}

// Below the system's range for outgoing connections, so that none of these can take the port
// between a kill() and a restart().
std::uint16_t free_port() {
  static std::minstd_rand dice(std::random_device{}());  // NOLINT: tests start them one by one
  while (true) {
    const auto port = static_cast<std::uint16_t>(12'000 + dice() % 20'000);
    const Descriptor trial(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(trial.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
      return port;
    }
  }
}

Descriptor connect_to(const std::string& path) {
  Descriptor descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (::connect(descriptor.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    descriptor.close();
  }
  return descriptor;
}

void append_command(std::string& to, std::initializer_list<std::string_view> words) {
  to += "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words) {
    to += "$" + std::to_string(word.size()) + "\r\n" + std::string(word) + "\r\n";
  }
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

bool has_redis() { return ::access(kServer, X_OK) == 0; }

bool make_certificates(const std::string& folder) {
  const auto make = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"/usr/bin/openssl",
                                      "req",
                                      "-x509",
                                      "-newkey",
                                      "ec",
                                      "-pkeyopt",
                                      "ec_paramgen_curve:P-256",
                                      "-nodes",
                                      "-days",
                                      "2",
                                      "-keyout",
                                      folder + "/" + name + ".key",
                                      "-out",
                                      folder + "/" + name + ".crt"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, folder + "/openssl.log");
  };
  return make("ca", {"-subj", "/CN=tidemill test authority"}) &&
         make("server", {"-CA", folder + "/ca.crt", "-CAkey", folder + "/ca.key", "-subj",
                         "/CN=redis.test", "-addext", "basicConstraints=critical,CA:FALSE",
                         "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:redis.test"});
}

RedisServer::RedisServer(RedisOptions options) : options_(std::move(options)) {
  std::string folder = (std::filesystem::temp_directory_path() / "redis-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) abort_test("no temporary folder");
  folder_ = folder;
  if (options_.has_tls && !make_certificates(folder_)) abort_test("no certificates");
  for (int tries = 0; tries < 20; ++tries) {  // another process may take the port
    port_ = options_.on_socket ? std::uint16_t{0} : free_port();
    write_settings();
    if (start()) return;
  }
  abort_test("it does not start");
}

RedisServer::~RedisServer() {
  end_with(SIGKILL);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void RedisServer::write_settings() const {
  std::ofstream file(folder_ + "/redis.conf");
  file << "bind 127.0.0.1\ndir " << folder_ << "\nunixsocket " << socket() << "\n"
       << "port " << (options_.has_tls ? 0 : port_) << "\n";
  if (options_.has_tls) {
    file << "tls-port " << port_ << "\ntls-cert-file " << folder_ << "/server.crt\ntls-key-file "
         << folder_ << "/server.key\ntls-ca-cert-file " << authorities()
         << "\ntls-auth-clients no\ntls-replication yes\ntls-cluster yes\n";
  }
  if (!options_.is_sentinel) {
    file << "save \"\"\nrepl-diskless-sync-delay 0\nappendonly " << (options_.keeps ? "yes" : "no")
         << "\nappendfsync always\n";
  }
  if (!options_.password.empty()) file << "requirepass " << options_.password << "\n";
  for (const std::string& line : options_.settings) file << line << "\n";
}

// The server opens the socket after the port: if it answers on the socket, it has both. No other
// server can answer there.
bool RedisServer::start() {
  std::vector<std::string> words = {kServer, folder_ + "/redis.conf"};
  if (options_.is_sentinel) words.emplace_back("--sentinel");
  pid_ = start_program(words, folder_ + "/log");
  if (pid_ < 0) abort_test("no process");
  pidfd_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < limit) {
    const std::string answer = say({"PING"});
    if (!answer.empty() && !answer.starts_with("-LOADING")) return true;
    pollfd ended{.fd = pidfd_.number(), .events = POLLIN, .revents = 0};
    if (::poll(&ended, 1, 2) > 0) break;
  }
  end_with(SIGKILL);
  return false;
}

void RedisServer::end_with(int signal) {
  if (pid_ <= 0) return;
  ::kill(pid_, signal);
  ::kill(pid_, SIGCONT);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void RedisServer::kill() { end_with(SIGKILL); }
void RedisServer::stop() { end_with(SIGTERM); }
void RedisServer::freeze() const {
  ::kill(pid_, SIGSTOP);
  ::waitpid(pid_, nullptr, WUNTRACED);  // returns when it has stopped
}
void RedisServer::thaw() const { ::kill(pid_, SIGCONT); }

void RedisServer::restart() {
  kill();
  if (!start()) abort_test("it does not start again");
}

std::string RedisServer::url() const {
  if (options_.on_socket) return "unix://" + socket();
  return (options_.has_tls ? "rediss://127.0.0.1:" : "redis://127.0.0.1:") + std::to_string(port_);
}

// The server closes the connection after QUIT, a sentinel after our shutdown: so the end of the
// reply needs no parser.
std::string RedisServer::say(std::initializer_list<std::string_view> words) const {
  constexpr std::string_view kOk = "+OK\r\n";
  const Descriptor line = connect_to(socket());
  if (!line.is_open()) return "";
  std::string out;
  if (!options_.password.empty()) append_command(out, {"AUTH", options_.password});
  append_command(out, words);
  if (!options_.is_sentinel) append_command(out, {"QUIT"});
  const timeval limit{.tv_sec = 30, .tv_usec = 0};  // a frozen server never answers
  ::setsockopt(line.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (::send(line.number(), out.data(), out.size(), MSG_NOSIGNAL) < 0) return "";
  if (options_.is_sentinel) ::shutdown(line.number(), SHUT_WR);
  std::string answer;
  std::array<char, 16'384> block{};
  while (true) {
    const ssize_t size = ::read(line.number(), block.data(), block.size());
    if (size <= 0) break;
    answer.append(block.data(), static_cast<std::size_t>(size));
  }
  if (!options_.password.empty() && answer.starts_with(kOk)) answer.erase(0, kOk.size());
  if (!options_.is_sentinel && answer.ends_with(kOk)) answer.resize(answer.size() - kOk.size());
  return answer;
}

std::string RedisServer::info(std::string_view field) const {
  const std::string all = say({"INFO", "everything"});
  const std::string start = "\n" + std::string(field) + ":";
  const std::size_t found = all.find(start);
  if (found == std::string::npos) return "";
  const std::size_t value = found + start.size();
  return all.substr(value, all.find('\r', value) - value);
}

void RedisServer::abort_test(const std::string& why) const {
  const std::string text = "redis-server in " + folder_ + ": " + why + "\n" +
                           contents_of(folder_ + "/log") + contents_of(folder_ + "/openssl.log");
  (void)std::fputs(text.c_str(), stderr);
  std::abort();
}

}  // namespace tidemill::testing
