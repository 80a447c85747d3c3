// Unix sockets: who may connect, and whose the name is.
#include "tidemill/io/web/unix_name.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "tidemill/io/web/listener.h"
#include "tidemill/testing/own_folder.h"
#include "tidemill/testing/raw_client.h"

namespace tidemill::web {
namespace {

using testing::OwnFolder;
using testing::RawClient;

WebReply who(const Incoming& incoming) {
  return {.body = incoming.peer_user ? std::to_string(*incoming.peer_user) : "nobody"};
}

Result<std::unique_ptr<Listener>> listening_at(const std::string& path) {
  return Listener::start({.address = "unix:" + path, .read_timeout = std::chrono::minutes(10)},
                         who);
}

std::string answer_at(const std::string& path) {
  RawClient client(path);
  client.send("GET / HTTP/1.1\r\n\r\n");
  return client.status() == 200 ? client.body() : "";
}

std::vector<std::string> names_in(const OwnFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    names.push_back(entry.path().filename());
  }
  return names;
}

// A socket that accepts connections (or not any more), made without our lock.
Descriptor foreign_socket(const std::string& path, int type = SOCK_STREAM) {
  Descriptor socket(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
  path.copy(name.sun_path, sizeof name.sun_path - 1);
  EXPECT_EQ(bind(socket.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  EXPECT_TRUE(type != SOCK_STREAM || listen(socket.number(), 1) == 0);
  return socket;
}

TEST(UnixName, AnswersClientsOfThisUserAndRemovesItself) {
  const OwnFolder folder;
  auto listener = listening_at(folder / "s");
  ASSERT_TRUE(listener) << text_of(listener.error());
  EXPECT_EQ((*listener)->port(), 0);
  EXPECT_EQ(answer_at(folder / "s"), std::to_string(geteuid()));
  listener->reset();
  EXPECT_EQ(names_in(folder), std::vector<std::string>{});
}

TEST(UnixName, IsPrivateWhateverTheUmask) {
  const OwnFolder folder;
  const mode_t old = umask(0);
  const auto listener = listening_at(folder / "s");
  umask(old);
  ASSERT_TRUE(listener) << text_of(listener.error());
  for (const char* name : {"s", "s.lock"}) {
    struct stat file{};
    ASSERT_EQ(lstat((folder / name).c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777U, 0600U) << name;
  }
}

TEST(UnixName, InUseIsAFailureThatLeavesTheOwnerAlone) {
  const OwnFolder folder;
  const auto listener = listening_at(folder / "s");
  ASSERT_TRUE(listener);
  const auto second = listening_at(folder / "s");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().step, "listen");
  EXPECT_EQ(second.error().cure, Cure::give_up);
  EXPECT_NE(second.error().reason.find("in use"), std::string::npos) << second.error().reason;
  EXPECT_EQ(answer_at(folder / "s"), std::to_string(geteuid()));
  EXPECT_EQ(names_in(folder).size(), 2);
}

TEST(UnixName, OfAnotherProgramIsInUseWhileItListens) {
  const OwnFolder folder;
  for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
    Descriptor foreign = foreign_socket(folder / "s", type);
    const auto refused = listening_at(folder / "s");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().reason.find("in use"), std::string::npos) << refused.error().reason;
    EXPECT_EQ(names_in(folder), std::vector<std::string>{"s"});
    foreign.close();  // and leaves its socket there
    const auto listener = listening_at(folder / "s");
    ASSERT_TRUE(listener) << text_of(listener.error());
    EXPECT_EQ(answer_at(folder / "s"), std::to_string(geteuid()));
  }
}

TEST(UnixName, OfAKilledProcessIsReplaced) {
  const OwnFolder folder;
  for (int times = 0; times < 2; ++times) {
    const pid_t child = fork();
    if (child == 0) {  // dies with its socket, its lock file, and a socket that has no name yet
      UnixName name;
      const auto socket = name.listen_at(folder / "s");
      const Descriptor hidden = foreign_socket(folder / "s.new");
      _exit(socket ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    EXPECT_EQ(names_in(folder).size(), 3);
  }
  auto listener = listening_at(folder / "s");
  ASSERT_TRUE(listener) << text_of(listener.error());
  EXPECT_EQ(answer_at(folder / "s"), std::to_string(geteuid()));
  listener->reset();
  EXPECT_EQ(names_in(folder), std::vector<std::string>{});
}

TEST(UnixName, NeverReplacesAFileThatIsNotASocket) {
  const OwnFolder folder;
  folder.file("file", "precious").folder("folder");
  std::filesystem::create_symlink("nowhere", folder / "link");
  for (const char* name : {"file", "folder", "link"}) {
    const auto refused = listening_at(folder / name);
    ASSERT_FALSE(refused) << name;
    EXPECT_NE(refused.error().reason.find("not a socket"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(folder / (std::string(name) + ".lock")));
  }
  std::string text;
  std::ifstream(folder / "file") >> text;
  EXPECT_EQ(text, "precious");
}

TEST(UnixName, IsNotRemovedWhenItIsSomebodyElsesByNow) {
  const OwnFolder folder;
  auto listener = listening_at(folder / "s");
  ASSERT_TRUE(listener);
  std::filesystem::remove(folder / "s");
  std::filesystem::remove(folder / "s.lock");
  auto second = listening_at(folder / "s");
  ASSERT_TRUE(second) << text_of(second.error());
  listener->reset();
  EXPECT_EQ(names_in(folder).size(), 2);
  EXPECT_EQ(answer_at(folder / "s"), std::to_string(geteuid()));
  second->reset();
  EXPECT_EQ(names_in(folder), std::vector<std::string>{});
}

TEST(UnixName, HasOneOwnerHoweverManyStartAndEndAtOnce) {
  const OwnFolder folder;
  std::atomic<int> owners = 0;
  std::atomic<int> most = 0;
  std::atomic<int> starts = 0;
  std::atomic<int> tries = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        while (starts < 100 && tries < 1'000'000) {
          tries += 1;
          UnixName name;
          if (!name.listen_at(folder / "s")) continue;
          starts += 1;
          if (++owners > 1) most = 2;
          std::this_thread::yield();
          owners -= 1;
        }
      });
    }
  }
  EXPECT_EQ(most, 0);
  EXPECT_GE(starts, 100);
  EXPECT_EQ(names_in(folder), std::vector<std::string>{});
}

TEST(UnixName, RejectsPathsThatNoSocketCanHave) {
  const OwnFolder folder;
  for (const std::string& path :
       {std::string("relative"), std::string(), std::string("@abstract"), std::string("/\0x", 3),
        '/' + std::string(UnixName::kMostPath, 'x'), folder / "missing/s"}) {
    const auto refused = listening_at(path);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().step, "listen");
  }
}

TEST(UnixName, ClientsAreNotLimitedByTheirAddressButByTheirNumber) {
  const OwnFolder folder;
  const auto listener = Listener::start({.address = "unix:" + folder / "s",
                                         .read_timeout = std::chrono::minutes(10),
                                         .connections = 3,
                                         .per_address = 1},
                                        who);
  ASSERT_TRUE(listener);
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(folder / "s").send("GET / HTTP/1.1\r\n\r\n");
    EXPECT_EQ(clients.back().status(), 200);
  }
  RawClient waiting(folder / "s");
  waiting.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(waiting.hears_nothing(std::chrono::milliseconds(300)));
  clients.front().leave();
  EXPECT_EQ(waiting.status(), 200);
}

TEST(UnixName, SendsLargeAnswersToSlowReaders) {
  const OwnFolder folder;
  const auto listener = Listener::start(
      {.address = "unix:" + folder / "s", .most_unsent = mib(4)},
      [](const Incoming&) { return WebReply{.body = std::string(std::size_t{1} << 20U, 'x')}; });
  ASSERT_TRUE(listener);
  RawClient client(folder / "s");
  client.send("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client.status(), 200);
    EXPECT_EQ(client.body().size(), std::size_t{1} << 20U);
  }
}

}  // namespace
}  // namespace tidemill::web
