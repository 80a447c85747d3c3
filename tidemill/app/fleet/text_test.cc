#include "tidemill/app/fleet/text.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace tidemill::app {
namespace {

using fleet::FleetBoard;
using fleet::FleetHost;
using fleet::PublishedRun;
using namespace std::chrono_literals;

FleetRunRow a_row(const std::string& name, const std::string& id) {
  return {.listed = {.run = {.name = name, .id = id, .host = "nas1", .recipe = {.name = "each"}},
                     .is_genuine = true},
          .window = {.is_known = true, .waiting = 14, .held = 5, .reports = 1, .workers = 2}};
}

FleetBoard::Announced a_worker(const std::string& host, std::int64_t pid, std::uint32_t busy) {
  return {.host = {.consumer = host + ":x",
                   .host = host,
                   .pid = pid,
                   .version = "0.1.0",
                   .places = 8,
                   .busy = busy,
                   .done = 1'234},
          .age = 2s};
}

FleetView view_of(std::vector<FleetRunRow> rows) {
  FleetView view{.fleet = "films"};
  for (const FleetRunRow& row : rows) view.known.push_back(row.listed.run);
  view.runs = std::move(rows);
  return view;
}

TEST(FleetText, RunsAreATableOfTheirWindows) {
  FleetRunRow paused = a_row("b", "id-b");
  paused.listed.is_paused = true;
  FleetRunRow starting = a_row("c", "id-c");
  starting.window = {};
  const FleetRunRow foreign{.listed = {.run = {.name = "x\ny"}}};
  EXPECT_EQ(text_of(view_of({a_row("a", "id-a"), paused, starting, foreign}), {}),
            "RUN   HOST  RECIPE  STATE     WAITING  HELD  RESULTS  WORKERS\n"
            "id-a  nas1  each/1  running        14     5        1        2\n"
            "id-b  nas1  each/1  paused         14     5        1        2\n"
            "id-c  nas1  each/1  starting        0     0        0        0\n"
            "x\\ny                unsigned\n");
}

TEST(FleetText, ForgedParcelsHaveAColumn) {
  FleetRunRow row = a_row("a", "id-a");
  row.window.forged = 3;
  const std::string text = text_of(view_of({row}), {});
  EXPECT_TRUE(text.contains("WORKERS  FORGED\n")) << text;
  EXPECT_TRUE(text.ends_with("      3\n")) << text;
}

TEST(FleetText, NarrowTerminalKeepsTheIds) {
  EXPECT_EQ(text_of(view_of({a_row("a", "20261119-0331-each")}), 60),
            "RUN                 HOST  STATE    WAITING  HELD  WORKERS\n"
            "20261119-0331-each  nas1  running       14     5        2\n");
}

TEST(FleetText, RunsWithTheSameIdAreShownByName) {
  const std::string text = text_of(view_of({a_row("nas1-7", "7"), a_row("nas2-7", "7")}), {});
  EXPECT_TRUE(text.contains("\nnas1-7 ")) << text;
  EXPECT_TRUE(text.contains("\nnas2-7 ")) << text;
}

TEST(FleetText, HostsAreATableWithTheDrainedOnes) {
  FleetView view{.fleet = "films", .drained = {"nas2", "nas3", "nas4"}};
  view.hosts = {a_worker("nas1", 17, 3),
                a_worker("nas2", 18, 1),
                a_worker("nas3", 19, 0),
                {.host = {.consumer = "later"}, .age = 90s}};
  EXPECT_EQ(text_of(view, {}),
            "HOST   PID  STATE       BUSY  PLACES   DONE  VERSION       LAST SEEN\n"
            "nas1    17  ready          3       8  1,234  0.1.0           2 s ago\n"
            "nas2    18  draining       1       8  1,234  0.1.0           2 s ago\n"
            "nas3    19  drained        0       8  1,234  0.1.0           2 s ago\n"
            "later       unreadable                                1 min 30 s ago\n"
            "nas4        drained\n");
}

TEST(FleetText, RefusedRunsAreNamedByTheirIdWithTheWholeReason) {
  FleetView view = view_of({a_row("nas1-7", "7")});
  view.hosts = {a_worker("nas1", 17, 3)};
  view.hosts->front().host.refusals = {{.run = "nas1-7", .why = std::string(200, 'x')},
                                       {.run = "gone", .why = "a\nb"}};
  const std::string text = text_of(view, 60);
  EXPECT_TRUE(text.ends_with("\n\nnas1:17 refuses 7: " + std::string(200, 'x') +
                             "\nnas1:17 refuses gone: a\\nb\n"))
      << text;
}

TEST(FleetText, NothingToShowIsEmpty) {
  FleetView view = view_of({});
  view.hosts.emplace();
  EXPECT_EQ(text_of(view, {}), "");
  EXPECT_EQ(json_of(view),
            "{\"v\":1,\"job\":\"fleet\",\"fleet\":\"films\",\"isVerified\":false,\"runs\":[],"
            "\"hosts\":[],\"drained\":[]}\n");
}

TEST(FleetText, JsonHasOnlyWhatWasAskedFor) {
  FleetView view{.fleet = "films", .hosts = {{a_worker("nas1", 17, 3)}}, .drained = {"nas1"}};
  EXPECT_EQ(json_of(view),
            "{\"v\":1,\"job\":\"fleet\",\"fleet\":\"films\",\"hosts\":[{\"consumer\":\"nas1:x\","
            "\"ageSeconds\":2,\"host\":\"nas1\",\"pid\":17,\"version\":\"0.1.0\","
            "\"isDrained\":true,\"places\":8,\"busy\":3,\"done\":1234,\"recipes\":[],"
            "\"refusals\":[]}],\"drained\":[{\"host\":\"nas1\"}]}\n");
  EXPECT_FALSE(json_of(view_of({})).contains("hosts"));
}

TEST(FleetText, JsonOfAnUnsignedRunHasItsNameAndState) {
  const FleetRunRow foreign{.listed = {.run = {.name = "\xff"}}};
  EXPECT_TRUE(json_of(view_of({foreign}))
                  .ends_with("\"runs\":[{\"nameBase64\":\"/w==\",\"state\":\"unsigned\"}]}\n"));
}

}  // namespace
}  // namespace tidemill::app
