#include "tidemill/app/runs/resume_words.h"

#include <algorithm>
#include <variant>

#include <gtest/gtest.h>

#include "tidemill/app/jobs.h"
#include "tidemill/app/runs/verbs.h"
#include "tidemill/ui/command/lookup.h"
#include "tidemill/ui/command/parse.h"

namespace tidemill::app {
namespace {

using command::Flag;
using command::ValueKind;
using run::RunCard;
using Words = std::vector<std::string>;

const command::Program& all() {
  static const command::Program kAll = describe(tidemill_app());
  return kAll;
}

const jobs::Job* job_of(const RunCard& card) {
  return jobs::find_job(tidemill_app().jobs, card.job);
}

// The parsed values of `tidemill resume last` with these words.
command::Values resume_with(Words words) {
  words.insert(words.begin(), {"resume", "last"});
  auto parsed = command::parse(all(), words, {});
  EXPECT_TRUE(parsed.has_value());
  return std::get<command::Values>(*std::move(parsed));
}

// The flags of resume that are passed to the job.
std::vector<Flag> offered() {
  std::vector<Flag> flags = describe_resume(tidemill_app()).flags;
  std::erase_if(flags, [](const Flag& flag) { return flag.name == "dry-run"; });
  return flags;
}

// "--jobs", or the verb's own name for it.
std::string jobs_of(const std::string& verb) {
  for (const Flag& flag : command::find_verb(all(), verb)->flags) {
    if (command::is_called(flag, "workers")) return "--" + flag.name;
  }
  return "";
}

Result<Words> words_of(const RunCard& card, const Words& typed) {
  return resumed_words({.card = card}, offered(), resume_with(typed), all());
}

std::string sample(const Flag& flag) {
  if (flag.kind == ValueKind::toggle) return "--" + flag.name;
  const std::string value = flag.kind == ValueKind::rate       ? "5/s"
                            : flag.kind == ValueKind::duration ? "7s"
                            : flag.kind == ValueKind::count    ? "7"
                                                               : "list";
  return "--" + flag.name + "=" + value;
}

// A run card for every verb; a subverb is the first argument.
std::vector<RunCard> a_card_for_each_verb() {
  std::vector<RunCard> cards;
  for (const command::Verb* verb : command::all_verbs(all())) {
    const auto space = verb->name.find(' ');
    RunCard card{.job = verb->name.substr(0, space)};
    if (space != std::string::npos) card.arguments.push_back(verb->name.substr(space + 1));
    card.arguments.insert(card.arguments.end(), {"--", "--workers=x", "name"});
    cards.push_back(std::move(card));
  }
  return cards;
}

// Accepted: exactly one word before "--". Refused: exit status 2, with the name of the flag.
void expect_taken_or_refused(const ResumedRun& run, const Flag& flag,
                             const command::Values& values) {
  const RunCard& card = run.card;
  const std::string typed = sample(flag);
  const auto words = resumed_words(run, offered(), values, all());
  const auto taken = taken_flags(run, offered(), all());
  if (std::ranges::find(taken, flag.name) == taken.end()) {
    ASSERT_FALSE(words.has_value()) << card.job << " " << typed;
    EXPECT_EQ(words.error().step, "usage");
    EXPECT_TRUE(words.error().reason.contains("--" + flag.name)) << words.error().reason;
    return;
  }
  ASSERT_TRUE(words.has_value()) << card.job << " " << typed << ": " << words.error().reason;
  const auto dashes = std::ranges::find(*words, "--");
  const bool is_jobs = flag.name == "jobs";  // which a verb may call workers
  const auto count = std::count_if(words->begin(), dashes, [&](const std::string& word) {
    return word == typed || (is_jobs && word == "--workers=7");
  });
  EXPECT_EQ(count, 1) << card.job << " " << typed;
  EXPECT_EQ(Words(dashes, words->end()), (Words{"--", "--workers=x", "name"}));
}

TEST(ResumeWords, EveryVerbAcceptsOrRefusesEveryResumeFlag) {
  for (const Flag& flag : offered()) {
    const command::Values values = resume_with({sample(flag)});
    for (const RunCard& card : a_card_for_each_verb()) {
      expect_taken_or_refused({.card = card, .job = job_of(card)}, flag, values);
      expect_taken_or_refused({.card = card}, flag, values);
    }
  }
}

TEST(ResumeWords, AcceptsTheFlagsThatTheVerbOfTheJobDeclares) {
  const auto taken = [](Words job, bool has_journal = true) {
    const RunCard card{.job = job.front(), .arguments = {job.begin() + 1, job.end()}};
    return taken_flags({.card = card, .job = has_journal ? job_of(card) : nullptr}, offered(),
                       all());
  };
  EXPECT_EQ(taken({"each"}),
            (Words{"jobs", "files-from", "rate", "timeout", "attempts", "json", "jsonl", "fleet",
                   "fleet-term", "fleet-weight", "redis", "password-file", "tls-ca", "tls-cert",
                   "tls-key", "fleet-key", "insecure-fleet"}));
  EXPECT_EQ(taken({"batch"}), (Words{"jobs", "files-from", "json"}));
  EXPECT_EQ(taken({"docs", "run"}), (Words{"jobs", "timeout", "attempts", "json", "jsonl"}));
  EXPECT_EQ(taken({"dupes"}), (Words{"json", "jsonl"}));
  EXPECT_EQ(taken({"import"}, false), (Words{"jobs", "files-from", "json"}));
  EXPECT_EQ(taken({"books", "check"}, false),
            (Words{"jobs", "files-from", "timeout", "json", "jsonl"}));
  EXPECT_EQ(taken({"catalogue", "verify"}, false), Words{});
}

TEST(ResumeWords, NewFlagReplacesTheOldFlagBeforeTheDashes) {
  const RunCard card{.job = "batch", .arguments = {"--workers=8", "--to=-", "--", "-w8"}};
  const std::string jobs = jobs_of("batch");
  for (const std::string typed : {"-j", "-w", "--workers"}) {
    EXPECT_EQ(words_of(card, {typed, "2"}), (Words{"batch", "--to=-", jobs + "=2", "--", "-w8"}));
  }
  EXPECT_EQ(words_of(card, {}), (Words{"batch", jobs + "=8", "--to=-", "--", "-w8"}));
}

TEST(ResumeWords, FleetIsThatOfTheCallNotThatOfTheRun) {
  const std::vector<std::pair<RunCard, Words>> runs = {
      {{.job = "each", .arguments = {"--fleet=redis:a", "--fleet-key=k", "--rate=5/s"}},
       {"each", "--rate=5/s"}},
      {{.job = "catalogue", .arguments = {"hash", "--wanted=l", "--fleet=redis:a", "--redis=u"}},
       {"catalogue", "hash", "--wanted=l"}}};
  for (const auto& [card, without] : runs) {
    EXPECT_EQ(words_of(card, {}), without);
    Words with = without;
    with.emplace_back("--fleet=redis:b");
    EXPECT_EQ(words_of(card, {"--fleet", "redis:b"}), with);
  }
  const RunCard batch{.job = "batch", .arguments = {"--redis=u", "--to=-"}};
  EXPECT_EQ(words_of(batch, {}), (Words{"batch", "--redis=u", "--to=-"}));
}

TEST(ResumeWords, KeyOfTheFleetFromTheEnvironmentIsNotRefused) {
  const auto parsed = command::parse(all(), Words{"resume", "last"}, {});
  auto values = std::get<command::Values>(*parsed);
  values.flags["fleet-key"] = {.texts = {"k"}, .origin = command::ValueSource::environment};
  for (const RunCard& card : a_card_for_each_verb()) {
    for (const jobs::Job* job : {job_of(card), static_cast<const jobs::Job*>(nullptr)}) {
      const auto words = resumed_words({.card = card, .job = job}, offered(), values, all());
      EXPECT_TRUE(words.has_value()) << card.job;
    }
  }
}

TEST(ResumeWords, NewReportFormatReplacesTheOldFormat) {
  const RunCard card{.job = "each", .arguments = {"--jsonl", "--", "wc", "--jsonl"}};
  EXPECT_EQ(words_of(card, {"--json"}), (Words{"each", "--json", "--", "wc", "--jsonl"}));
  EXPECT_EQ(words_of(card, {"--json", "--jsonl"}).error().step, "usage");
}

TEST(ResumeWords, FailsForAnUnknownJob) {
  EXPECT_EQ(words_of({.job = "other"}, {}).error().step, "other");
}

TEST(ResumeWords, LineNamesTheRunAndItsCommandWithoutDefaultAndCommonFlags) {
  EXPECT_EQ(
      resuming_text("R", {"import", "--nested=json", "--progress=none", "--into=db", "--", "a b"},
                    all()),
      "resuming R: tidemill import --into=db -- 'a b'");
  const std::string line = resuming_text("R", Words(1'000, "import"), all());
  EXPECT_TRUE(line.ends_with(" …") && line.size() < 500) << line.size();
}

TEST(ResumeWords, DetectsStandardInputAndShellPipesAsUnrepeatable) {
  const auto input = [](const Words& words) {
    return unrepeatable_input(std::get<command::Values>(command::parse(all(), words, {}).value()));
  };
  EXPECT_EQ(input({"import", "a", "-", "--into", "db"}), "-");
  EXPECT_EQ(input({"import", "/dev/fd/63", "--into", "db"}), "/dev/fd/63");
  EXPECT_EQ(input({"catalogue", "hash", "--wanted", "/dev/stdin"}), "/dev/stdin");
  EXPECT_EQ(input({"import", "--files-from", "-", "--into", "db"}), "-");
  EXPECT_EQ(input({"books", "check", "--files-from", "-"}), "-");
  EXPECT_EQ(input({"books", "check", "--files-from", "list"}), "");
  EXPECT_EQ(input({"dupes", "--files-from", "-"}), "-");
  EXPECT_EQ(input({"dupes", "--files-from", "list"}), "");
  EXPECT_EQ(input({"import", "a-", "--into", "-"}), "");
}

}  // namespace
}  // namespace tidemill::app
