// Kills a task of several steps at every moment and resumes it: the result must be the same.
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tidemill/engine/memory_journal.h"
#include "tidemill/engine/steps.h"

namespace tidemill::engine {
namespace {

// Simulates a process that dies at a chosen moment. It is thrown, which engine code never does:
// everything that is not in the journal is lost, as after kill -9.
struct ProcessDeath {};

// Counts the moments at which a process can die, and dies at the chosen one.
class Life {
 public:
  explicit Life(int moments) : left_(moments) {}
  void moment() {
    if (left_-- == 0) throw ProcessDeath{};
  }

 private:
  int left_;
};

class MortalCheckpoints final : public Checkpoints {
 public:
  MortalCheckpoints(Checkpoints& kept, Life& life) : kept_(kept), life_(life) {}
  Result<std::optional<Checkpoint>> load(TaskId id) override { return kept_.load(id); }
  Result<void> save(TaskId id, const Checkpoint& checkpoint) override {
    life_.moment();  // the step has run, nothing is saved
    auto saved = kept_.save(id, checkpoint);
    life_.moment();  // saved, the next step has not started
    return saved;
  }
  Result<void> clear(TaskId id) override { return kept_.clear(id); }

 private:
  Checkpoints& kept_;
  Life& life_;
};

// The external system: effects are idempotent, as steps must be.
struct World {
  std::map<std::string, std::string> effects;
  std::map<std::string, int> runs;
  std::map<std::string, int> runs_after_save;

  MemoryJournal journal;
  JournalCheckpoints checkpoints{journal};
  World() {
    const Entry found = Found{.id = 1};
    EXPECT_TRUE(journal.commit(std::span(&found, 1)));
  }

  // nullopt: killed midway.
  std::optional<StepsReport> live(int moments) {
    Life life(moments);
    MortalCheckpoints mortal(checkpoints, life);
    std::vector<Step> plan;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::string name(1, static_cast<char>('a' + k));
      plan.push_back({.name = name, .critical = k != 2, .run = [&, k, name](const StepContext& at) {
                        return step(k, name, at, life);
                      }});
    }
    try {
      return Steps(std::move(plan)).run(1, mortal, [] { return false; }).value();
    } catch (const ProcessDeath&) {
      return std::nullopt;
    }
  }

 private:
  Result<std::string> step(std::size_t k, const std::string& name, const StepContext& at,
                           Life& life) {
    life.moment();  // not started
    const auto saved = checkpoints.load(1).value();
    if (saved && saved->steps_done > k) ++runs_after_save[name];
    ++runs[name];
    effects[name] = at.data;
    if (k == 2) return fail(Cure::retry, "post", "no answer");
    return at.data + name;
  }
};

void expect_same_end(const World& world, const StepsReport& end) {
  EXPECT_EQ(end.data, "abd");
  EXPECT_EQ(end.warnings, std::vector<std::string>{"c: post: no answer"});
  EXPECT_EQ(world.effects,
            (std::map<std::string, std::string>{{"a", ""}, {"b", "a"}, {"c", "ab"}, {"d", "ab"}}));
  EXPECT_EQ(world.runs_after_save, (std::map<std::string, int>{}));
}

constexpr int kMoments = 4 * 3;  // four steps: before, between run and save, after the save

TEST(StepsAfterACrash, ReachTheSameResultAfterACrashAtAnyPoint) {
  for (int moment = 0; moment < kMoments; ++moment) {
    SCOPED_TRACE(moment);
    World world;
    ASSERT_FALSE(world.live(moment));
    const auto end = world.live(kMoments);
    ASSERT_TRUE(end);
    expect_same_end(world, *end);
    for (std::size_t k = 0; k < 4; ++k) {  // only a step that ran and was not saved ran twice
      const bool twice = moment == static_cast<int>(3 * k) + 1;
      EXPECT_EQ(world.runs[std::string(1, static_cast<char>('a' + k))], twice ? 2 : 1) << k;
    }
  }
}

TEST(StepsAfterACrash, ReachTheSameResultAfterManyCrashes) {
  EXPECT_TRUE(rc::check("any series of crashes", [](std::vector<std::uint8_t> moments) {
    World world;
    for (const std::uint8_t moment : moments) (void)world.live(moment % kMoments);
    const auto end = world.live(kMoments);
    RC_ASSERT(end.has_value());
    expect_same_end(world, *end);
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

}  // namespace
}  // namespace tidemill::engine
