// Rules for the flags of all verbs: the same name means the same thing everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <sstream>
#include <string>
#include <vector>

#include "tidemill/app/jobs.h"
#include "tidemill/app/program/program.h"
#include "tidemill/formats/text/columns.h"
#include "tidemill/ui/command/help/help.h"
#include "tidemill/ui/command/lookup.h"

namespace tidemill::app {
namespace {

using command::Flag;
using command::Verb;

const command::Program& program() {
  static const command::Program kProgram = describe(tidemill_app());
  return kProgram;
}

// The program itself is a null pointer.
std::vector<const Verb*> everywhere() {
  std::vector<const Verb*> verbs = command::all_verbs(program());
  verbs.insert(verbs.begin(), nullptr);
  return verbs;
}

const Flag* find_flag(const Verb& verb, std::string_view name) {
  const auto found = std::ranges::find(verb.flags, name, &Flag::name);
  return found == verb.flags.end() ? nullptr : &*found;
}

TEST(Flags, EachLetterMeansTheSameFlagInEveryVerb) {
  std::map<std::string, std::string> flag_of;  // by letter, aliases too
  for (const Verb* verb : everywhere()) {
    for (const Flag& flag : command::typed_flags(program(), verb)) {
      std::vector<std::string> letters;
      if (flag.letter != 0) letters.emplace_back(1, flag.letter);
      for (const auto& alias : flag.aliases) {
        if (alias.size() == 1) letters.push_back(alias);
      }
      for (const auto& letter : letters) {
        const auto& first = flag_of.try_emplace(letter, flag.name).first->second;
        EXPECT_EQ(first, flag.name) << "-" << letter << " in " << command::call_of(program(), verb);
      }
    }
  }
}

TEST(Flags, EachNameHasTheSameLetterAndKindInEveryVerb) {
  std::map<std::string, Flag> first_of;
  for (const Verb* verb : everywhere()) {
    for (const Flag& flag : command::typed_flags(program(), verb)) {
      const Flag& first = first_of.try_emplace(flag.name, flag).first->second;
      const auto where = "--" + flag.name + " in " + command::call_of(program(), verb);
      EXPECT_EQ(first.letter, flag.letter) << where;
      EXPECT_EQ(first.kind, flag.kind) << where;
      EXPECT_EQ(first.metavar, flag.metavar) << where;
      EXPECT_EQ(first.is_list, flag.is_list) << where;
    }
  }
}

TEST(Flags, AnAliasIsNeverAnotherFlag) {
  std::map<std::string, std::string> owner_of;
  for (const Verb* verb : everywhere()) {
    for (const Flag& flag : command::typed_flags(program(), verb)) owner_of[flag.name] = flag.name;
  }
  for (const Verb* verb : everywhere()) {
    for (const Flag& flag : command::typed_flags(program(), verb)) {
      if (flag.name == "api-rate") continue;  // runs of docs that an earlier version stored
      for (const auto& alias : flag.aliases) {
        const auto& owner = owner_of.try_emplace(alias, flag.name).first->second;
        EXPECT_EQ(owner, flag.name) << "--" << alias;
      }
    }
  }
}

TEST(Flags, JobsIsTheParallelismAndZeroMeansAllCores) {
  for (const Verb* verb : command::all_verbs(program())) {
    EXPECT_EQ(find_flag(*verb, "workers"), nullptr) << verb->name;
    EXPECT_EQ(find_flag(*verb, "threads"), nullptr) << verb->name;
    const Flag* jobs = find_flag(*verb, "jobs");
    if (jobs == nullptr) continue;
    EXPECT_EQ(jobs->letter, 'j') << verb->name;
    EXPECT_TRUE(jobs->least.empty() || jobs->least == "0") << verb->name;
    EXPECT_NE(jobs->help.find("0 = all cores"), std::string::npos) << verb->name << jobs->help;
  }
}

TEST(Flags, VerbsThatTakeFilesHaveFilesFromAndNull) {
  for (const std::string name :
       {"each", "dupes", "import", "batch", "books check", "books repair", "tokens"}) {
    const Verb* verb = command::find_verb(program(), name);
    ASSERT_NE(verb, nullptr) << name;
    EXPECT_NE(find_flag(*verb, "files-from"), nullptr) << name;
    EXPECT_NE(find_flag(*verb, "null"), nullptr) << name;
  }
}

TEST(Flags, VerbsThatChangeSomethingHaveADryRun) {
  for (const std::string name : {"each", "dupes", "import", "batch", "books repair", "docs run",
                                 "forget", "undo", "resume", "failures", "catalogue forget"}) {
    const Verb* verb = command::find_verb(program(), name);
    ASSERT_NE(verb, nullptr) << name;
    const Flag* flag = find_flag(*verb, "dry-run");
    ASSERT_NE(flag, nullptr) << name;
    EXPECT_EQ(flag->letter, 'n') << name;
    EXPECT_FALSE(flag->is_configurable) << name;
  }
}

TEST(Flags, FlagHelpIsShortAndHasNoFinalPunctuation) {
  for (const Verb* verb : everywhere()) {
    for (const Flag& flag : command::typed_flags(program(), verb)) {
      EXPECT_LE(flag.help.size(), 90U) << command::call_of(program(), verb) << " --" << flag.name;
      EXPECT_FALSE(flag.help.ends_with('.') || flag.help.ends_with(':')) << flag.help;
    }
  }
}

TEST(Flags, TheShortHelpHasAtMost30LinesOf80Columns) {
  for (const Verb* verb : everywhere()) {
    std::istringstream lines(command::short_help(program(), verb, {}));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      if (line.starts_with("  $ ")) continue;  // an example is never broken
      EXPECT_LE(text::columns(line), 80U) << line;
    }
    // That of the program lists all verbs, a line each.
    const int most = verb == nullptr ? static_cast<int>(program().verbs.size()) + 8 : 30;
    EXPECT_LE(count, most) << command::call_of(program(), verb);
  }
}

TEST(Flags, ASummaryFitsOnOneLineOfTheProgramsHelp) {
  for (const Verb* verb : command::all_verbs(program())) {
    EXPECT_LE(verb->summary.size(), 64U) << verb->name << ": " << verb->summary;
  }
}

}  // namespace
}  // namespace tidemill::app
