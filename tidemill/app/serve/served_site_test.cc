#include "tidemill/app/serve/served_site.h"

#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/app/serve/serve_token.h"
#include "tidemill/state/run/run.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::app {
namespace {

using engine::TaskId;

const std::string kSiteToken(kTokenDigits, 'c');

// Over a state folder with one run of 250 tasks: every tenth has failed, every 50th is left.
class ServedSiteTest : public ::testing::Test {
 protected:
  static constexpr TaskId kTasks = 250;

  void SetUp() override {
    auto made =
        run::Run::create(state_, {.job = "each", .arguments = {"in", "--", "true"}}, clock_);
    ASSERT_TRUE(made) << text_of(made.error());
    run_ = *std::move(made);
    std::vector<engine::Entry> entries;
    for (TaskId id = 1; id <= kTasks; ++id) {
      entries.emplace_back(
          engine::Found{.id = id, .type = "command", .subject = "<b>" + std::to_string(id)});
      if (id % 50 == 0) continue;
      if (id % 10 == 0) {
        const std::string reason = id < 100 ? "exit status 1" : "exit status 2";
        entries.emplace_back(
            engine::Died{.id = id, .failure = {.step = "command", .reason = reason}});
      } else {
        entries.emplace_back(engine::Done{.id = id, .result = "5"});
      }
    }
    ASSERT_TRUE(run_->journal().commit(entries));
  }

  void end_run() {
    ASSERT_TRUE(run_->end(run::kInterrupted));
    run_.reset();
  }

  [[nodiscard]] web::WebReply get(const std::string& path, const std::string& query = {},
                                  const std::string& tag = {}) {
    web::Incoming incoming{
        .method = "GET",
        .path = path,
        .headers = {{"host", "127.0.0.1:8585"}, {"cookie", "tidemill-8585=" + kSiteToken}},
        .query = query};
    if (!tag.empty()) incoming.headers.emplace_back("if-none-match", tag);
    return site_.answer(incoming);
  }
  [[nodiscard]] std::string body(const std::string& path, const std::string& query = {}) {
    const web::WebReply reply = get(path, query);
    EXPECT_EQ(reply.status, 200) << path << " " << reply.body;
    return reply.body;
  }
  static std::string header(const web::WebReply& reply, std::string_view name) {
    for (const auto& [key, value] : reply.headers) {
      if (key == name) return value;
    }
    return "";
  }

  const ::tidemill::testing::OwnFolder folder_;
  const run::StateFolder state_{folder_.path() + "/state"};
  const SystemClock clock_;
  const App app_{.name = "tidemill"};
  const command::Program program_{.name = "tidemill"};
  std::unique_ptr<run::Run> run_;
  RunLister runs_{state_, clock_};
  ServedSite site_{{.app = app_, .program = program_, .clock = clock_, .runs = runs_},
                   AccessGate(kSiteToken, 8585)};
};

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(ServedSiteTest, AListOfTasksHasANextPageUntilTheLast) {
  end_run();
  const std::string tasks = "/run/" + state_.list()->front().id() + "/tasks";
  EXPECT_EQ(times(body(tasks), "&lt;b&gt;"), 100U);
  EXPECT_TRUE(body(tasks).contains("?after=100\">Next<"));
  EXPECT_TRUE(body(tasks).contains("tasks behind 100 are not shown here"));
  EXPECT_EQ(times(body(tasks, "after=200"), "&lt;b&gt;"), 50U);
  EXPECT_FALSE(body(tasks, "after=200").contains(">Next<"));
  EXPECT_EQ(times(body(tasks, "state=pending"), "&lt;b&gt;"), 5U);
  EXPECT_EQ(times(body(tasks, "state=failed"), "&lt;b&gt;"), 20U);
  EXPECT_EQ(times(body(tasks, "state=done&after=150"), "&lt;b&gt;"), 90U);
  EXPECT_EQ(times(body(tasks, "q=%3CB%3E24"), "&lt;b&gt;24"), 11U);
}

TEST_F(ServedSiteTest, AReasonLeadsToItsTasks) {
  end_run();
  const std::string failures = "/run/" + state_.list()->front().id() + "/failures";
  EXPECT_TRUE(body(failures).contains("20 failed tasks, 2 reasons."));
  EXPECT_TRUE(body(failures).contains(failures + "/1\">command: exit status 1<"));
  EXPECT_EQ(times(body(failures + "/1"), "/task/"), 8U);
  EXPECT_EQ(times(body(failures + "/2"), "/task/"), 12U);
  EXPECT_EQ(times(body(failures + "/2", "after=200"), "/task/"), 4U);
  EXPECT_EQ(get(failures + "/3").status, 404);
  EXPECT_EQ(get(failures + "/0").status, 404);
}

TEST_F(ServedSiteTest, ATaskThatFailedShowsHowToRetryIt) {
  end_run();
  const std::string id = state_.list()->front().id();
  const std::string page = body("/run/" + id + "/task/10");
  EXPECT_TRUE(page.contains("exit status 1"));
  EXPECT_TRUE(page.contains("tidemill failures " + id + " retry 10"));
  EXPECT_FALSE(body("/run/" + id + "/task/11").contains("retry"));
}

TEST_F(ServedSiteTest, OnlyPagesOfARunInProgressAreAskedForAgain) {
  const std::string run = "/run/" + state_.list()->front().id();
  EXPECT_TRUE(body(run).contains("data-poll=\"2000\""));
  EXPECT_TRUE(body("/").contains("data-poll"));
  EXPECT_TRUE(body(run + "/task/50").contains("data-poll"));   // pending
  EXPECT_FALSE(body(run + "/task/51").contains("data-poll"));  // done
  EXPECT_FALSE(body(run + "/task/10").contains("retry"));      // not while it runs
  end_run();
  EXPECT_FALSE(body(run).contains("data-poll"));
  EXPECT_FALSE(body("/").contains("data-poll"));
}

TEST_F(ServedSiteTest, APageThatHasNotChangedIsNotSentAgain) {
  end_run();
  const std::string tag = header(get("/"), "ETag");
  EXPECT_EQ(get("/", "", tag).status, 304);
  auto again = run::Run::open(state_.list()->front(), clock_);
  ASSERT_TRUE(again);
  ASSERT_TRUE((*again)->journal().commit_one(engine::Done{.id = 50}));
  ASSERT_TRUE((*again)->end(run::kInterrupted));
  again->reset();
  EXPECT_EQ(get("/", "", tag).status, 200);
}

TEST_F(ServedSiteTest, RunsInAStateAreFound) {
  end_run();
  const std::string id = state_.list()->front().id();
  EXPECT_TRUE(body("/", "state=interrupted&job=each").contains(id));
  EXPECT_FALSE(body("/", "state=complete").contains(id));
  EXPECT_FALSE(body("/", "job=dupes").contains(id));
  EXPECT_FALSE(body("/", "after=" + id).contains("<td>"));
}

TEST_F(ServedSiteTest, RunsOfDifferentJobsAreNotCompared) {
  end_run();
  auto other = run::Run::create(state_, {.job = "dupes"}, clock_);
  ASSERT_TRUE(other);
  const std::string one = (*other)->folder().id();
  const std::string two = state_.list("each")->front().id();
  EXPECT_EQ(get("/compare", "run=" + one + "&with=" + two).status, 400);
  EXPECT_EQ(get("/compare", "run=" + two + "&with=" + two).status, 200);
  EXPECT_EQ(get("/compare", "run=" + two).status, 200);  // asks for the other
}

TEST_F(ServedSiteTest, AJournalThatCannotBeReadIsSaidToBe) {
  end_run();
  const run::RunFolder damaged = state_.list()->front();
  std::ofstream(damaged.journal()) << "no journal";
  EXPECT_TRUE(body("/").contains("unreadable"));
  EXPECT_TRUE(body("/run/" + damaged.id()).contains("unreadable"));
  EXPECT_EQ(get("/run/" + damaged.id() + "/tasks").status, 500);
}

}  // namespace
}  // namespace tidemill::app
