#include "tidemill/jobs/books/judge/epubcheck.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "tidemill/base/file_stamp.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/epub/rules/rules.h"
#include "tidemill/io/proc/pidfd.h"
#include "tidemill/io/proc/program.h"
#include "tidemill/io/proc/spawner.h"
#include "tidemill/io/sandbox/program_sandbox.h"
#include "tidemill/jobs/books/report/book_report.h"

namespace tidemill::books {
namespace {

namespace fs = std::filesystem;
using Moment = std::chrono::steady_clock::time_point;

constexpr std::size_t kLongestLine = 1U << 20U;
constexpr std::chrono::seconds kStartTime{60};

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out.push_back(text[at]);
      continue;
    }
    ++at;
    out.push_back(text[at] == 't' ? '\t' : text[at] == 'n' ? '\n' : text[at]);
  }
  return out;
}

std::uint32_t number_in(std::string_view text) {
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);  // "-1" (unknown) gives 0
  return number;
}

std::string identity_of(const std::string& jar) {
  struct stat seen{};
  if (::stat(jar.c_str(), &seen) != 0) return jar;
  const FileStamp stamp = stamp_of(seen);
  return jar + " " + std::to_string(stamp.size) + " " + std::to_string(stamp.mtime_ns);
}

// The folder of the Java installation that /usr/bin/java links to.
std::string home_of(const std::string& java) {
  std::error_code ignored;
  return fs::canonical(java, ignored).parent_path().parent_path().string();
}

std::unexpected<Failure> died() {
  return fail_as("TIDE-003", "the Java process of EPUBCheck exited");
}

}  // namespace

Result<EpubcheckPlace> find_epubcheck(const std::string& jar, const std::string& share) {
  auto java = proc::resolve_program("java");
  if (!java) {
    return std::unexpected(Failure{.step = "epubcheck",
                                   .reason = "java is not installed",
                                   .hint = "install a Java runtime, such as default-jre-headless"});
  }
  const fs::path warm = fs::path(share) / "warm.jar";
  std::error_code ignored;
  if (!fs::exists(warm, ignored)) {
    return std::unexpected(Failure{.step = "epubcheck",
                                   .reason = warm.string() + " is missing",
                                   .hint = "rebuild tidemill where javac is installed"});
  }
  std::vector<std::string> places = {jar};
  if (jar.empty()) {
    places = {"/usr/local/share/epubcheck/epubcheck.jar", "/opt/epubcheck/epubcheck.jar",
              "/usr/share/java/epubcheck.jar"};
  }
  for (const std::string& place : places) {
    if (!fs::exists(place, ignored)) continue;
    const std::string beside = (fs::path(place).parent_path() / "lib" / "*").string();
    return EpubcheckPlace{.java = *java,
                          .files = {home_of(*java), fs::path(place).parent_path().string(), warm},
                          .class_path = place + ":" + beside + ":" + warm.string(),
                          .identity = identity_of(place)};
  }
  return std::unexpected(Failure{
      .step = "epubcheck",
      .reason = "cannot find epubcheck.jar " + (jar.empty() ? "in the usual places" : "at " + jar),
      .hint = "use --epubcheck JAR"});
}

epub::Finding finding_of(std::string_view line) {
  const auto fields = fields_of(line);
  const auto field = [&](std::size_t at) { return at < fields.size() ? fields[at] : ""; };
  std::string id(field(2));
  std::ranges::replace(id, '_', '-');
  const auto rule = epub::rule_named(id);
  epub::Finding finding{.rule = rule.value_or(epub::RuleId("TIDE-003"))};
  finding.place = {.entry = unescaped(field(5)),
                   .at = {.line = number_in(field(3)), .column = number_in(field(4))}};
  finding.detail = (rule ? "" : id + ": ") + unescaped(field(6));
  return finding;
}

Result<void> WarmEpubcheck::make_folder() {
  std::error_code wrong;
  std::string name = (fs::temp_directory_path(wrong) / "tidemill-XXXXXX").string();
  if (wrong || ::mkdtemp(name.data()) == nullptr) {
    return fail(Cure::give_up, "epubcheck",
                name + ": " + system_text(wrong ? wrong.value() : errno));
  }
  folder_ = std::move(name);
  return {};
}

// Spawns from a confined thread: the child inherits the restrictions.
Result<pid_t> WarmEpubcheck::spawn(int talk) const {
  // Standard error has only Java's own messages, which do not help the user.
  const Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const std::vector<std::string> words = {place_.java,
                                          "-XX:+UseSerialGC",
                                          "-XX:-UsePerfData",
                                          "-XX:+DisableAttachMechanism",
                                          "-Xss16m",
                                          "-Xmx1g",
                                          "-Djava.awt.headless=true",
                                          "-Djava.io.tmpdir=" + folder_,
                                          "-Duser.home=" + folder_,
                                          "-cp",
                                          place_.class_path,
                                          "Warm"};
  sandbox::ProgramSandbox sandbox_rules{.readable = place_.files, .writable = folder_};
  for (const char* path : {"/usr", "/bin", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev/zero",
                           "/dev/random", "/dev/urandom"}) {
    sandbox_rules.readable.emplace_back(path);
  }
  sandbox_rules.readable.insert(sandbox_rules.readable.end(), roots_.begin(), roots_.end());
  Result<pid_t> started = died();
  const auto body = [&]() -> Result<pid_t> {
    TRY(sandbox::confine_thread(sandbox_rules));
    proc::Spawner spawner({"LANG=C.UTF-8", "PATH=/usr/bin:/bin"});
    return spawner.spawn({.path = place_.java, .arguments = words},
                         {.in = talk, .out = talk, .err = nowhere.number()});
  };
  {
    LET(const auto thread,
        start_thread(
            "EPUBCheck", [&] { started = body(); },
            [&](const Failure& failure) { started = std::unexpected(failure); }));
  }
  if (started) sandbox::limit_program(*started);
  return started;
}

Result<void> WarmEpubcheck::start(const std::stop_token& stop) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(Cure::give_up, "epubcheck", system_text(errno));
  }
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  if (folder_.empty()) TRY(make_folder());
  LET(pid_, spawn(theirs.number()));
  pidfd_ = proc::open_pidfd(pid_);
  talk_ = std::move(ours);
  unread_.clear();
  auto hello = line(std::chrono::steady_clock::now() + kStartTime, stop);
  if (!hello) return std::unexpected(std::move(hello).error());
  if (!hello->starts_with("V\t")) return died();
  version_ = hello->substr(2);
  return {};
}

Result<std::string> WarmEpubcheck::line(Moment until, const std::stop_token& stop) {
  const Descriptor bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const std::stop_callback ring(stop, [&] {
    const std::uint64_t one = 1;
    (void)!::write(bell.number(), &one, sizeof one);
  });
  for (;;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string found = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return found;
    }
    if (unread_.size() > kLongestLine) return died();
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return fail_as("TIDE-004", "raise the limit with --timeout");
    std::array<pollfd, 2> waits = {pollfd{.fd = talk_.number(), .events = POLLIN, .revents = 0},
                                   pollfd{.fd = bell.number(), .events = POLLIN, .revents = 0}};
    const int most = static_cast<int>(std::min<std::int64_t>(left.count(), 3'600'000));
    if (::poll(waits.data(), waits.size(), most) < 0 && errno != EINTR) return died();
    if (stop.stop_requested()) return fail(Cure::resume, "stopped", "the run is stopped");
    if (waits[0].revents == 0) continue;
    std::array<char, 1U << 16U> buffer{};
    const ssize_t got = ::read(talk_.number(), buffer.data(), buffer.size());
    if (got <= 0) return died();
    unread_.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

void WarmEpubcheck::end() {
  if (pid_ >= 0) {
    talk_.close();
    (void)::kill(-pid_, SIGKILL);  // the process group: also kills its children
    proc::send_signal(pidfd_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }
  link_.clear();
  if (folder_.empty()) return;
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  folder_.clear();
}

}  // namespace tidemill::books
