#include "tidemill/ui/command/command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/ui/command/kinds.h"
#include "tidemill/ui/command/lookup.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::command {
namespace {

// CLI11 takes the next word as the value of "--name=", and "++" as the end of a verb. An argument
// cannot contain a NUL, so a NUL appended to such a word hides it from CLI11; it is removed
// afterwards.
constexpr char kHidden = '\0';

std::string hide(std::string word) {
  const bool is_empty_value = word.starts_with("--") && word.find('=') == word.size() - 1;
  if (is_empty_value || word == "++") word += kHidden;
  return word;
}

std::string unhide(std::string word) {
  if (word.ends_with(kHidden)) word.pop_back();
  return word;
}

// One verb, or the program itself, with its flags in CLI11.
struct Branch {
  const Verb* verb = nullptr;
  CLI::App* app = nullptr;
  std::vector<std::pair<std::string, CLI::Option*>> options{};  // by Flag::name
};

std::string spelling(const Flag& flag, bool has_no) {
  std::string names = "--" + flag.name;
  if (flag.kind == ValueKind::toggle && has_no) names += ",!--no-" + flag.name;
  if (flag.letter != 0) names += std::string(",-") + flag.letter;
  for (const auto& alias : flag.aliases) {
    names += (alias.size() == 1 ? ",-" : ",--") + alias;
    if (alias.size() > 1 && flag.kind == ValueKind::toggle && has_no) names += ",!--no-" + alias;
  }
  if (flag.name == "help") names += "{short}";
  return names;
}

void add_flags(Branch& branch, const std::vector<Flag>& flags, bool has_no) {
  for (const auto& flag : flags) {
    const auto names = spelling(flag, has_no);
    CLI::Option* const option = flag.kind == ValueKind::toggle ? branch.app->add_flag(names)
                                                               : branch.app->add_option(names);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    branch.options.emplace_back(flag.name, option);
  }
}

void prepare(CLI::App& app) {
  app.set_help_flag();
  app.require_subcommand(0, 1);  // so a file may have the name of a verb
}

void add_verbs(std::vector<Branch>& tree, CLI::App& parent, const std::vector<Verb>& verbs) {
  for (const auto& verb : verbs) {
    CLI::App* const app = parent.add_subcommand(last_word(verb));
    prepare(*app);
    for (const auto& alias : verb.aliases) app->alias(alias);
    app->fallthrough();  // passes flags of the program and loose words to the parent
    tree.push_back({.verb = &verb, .app = app});
    add_flags(tree.back(), verb.flags, true);
    add_verbs(tree, *app, verb.below);
  }
}

std::vector<Branch> build_tree(CLI::App& root, const Program& program) {
  prepare(root);
  root.allow_extras();
  std::vector<Branch> tree{{.verb = nullptr, .app = &root}};
  add_flags(tree.back(), program.flags, true);
  add_flags(tree.back(), standing_flags(), false);
  add_verbs(tree, root, program.verbs);
  return tree;
}

CommandLine gather(const CLI::App& root, const std::vector<Branch>& tree) {
  CommandLine line;
  for (const auto& branch : tree) {
    // A verb precedes its subverbs, so the last one parsed is the innermost.
    if (!branch.app->parsed() && branch.verb != nullptr) continue;
    line.verb = branch.verb;
  }
  for (const auto& branch : tree) {
    if (branch.verb != nullptr && branch.verb != line.verb) continue;
    for (const auto& [name, option] : branch.options) {
      for (const auto& text : option->results()) line.flags[name].push_back(unhide(text));
    }
  }
  for (auto& word : root.remaining()) line.loose.push_back(unhide(std::move(word)));
  return line;
}

// CLI11 takes any next word as the value of a flag, so only the last word can lack its value.
std::unexpected<Failure> explain(const Program& program, const std::vector<Branch>& tree,
                                 const std::string& last) {
  const Verb* verb = nullptr;
  for (const auto& branch : tree) {
    if (branch.verb != nullptr && branch.app->parsed()) verb = branch.verb;
  }
  for (const auto& flag : typed_flags(program, verb)) {
    const auto name = last.starts_with("--") ? last.substr(2) : last.substr(last.size() - 1);
    if (!is_called(flag, name)) continue;
    return misuse("--" + flag.name + " needs a value: " + accepted(flag), see_help(program, verb));
  }
  return misuse(in_quotes(last) + " needs a value", see_help(program, verb));
}

}  // namespace

Result<CommandLine> read_line(const Program& program, const std::vector<std::string>& words) {
  const auto dashes = std::ranges::find(words, "--");
  std::vector<std::string> typed;
  for (auto word = words.begin(); word != dashes; ++word) typed.push_back(hide(*word));
  const std::string last = typed.empty() ? "" : typed.back();
  std::ranges::reverse(typed);  // as CLI11 wants them
  try {
    CLI::App root;
    const auto tree = build_tree(root, program);
    std::size_t before_verb = 0;
    for (const auto& branch : tree) {
      if (branch.verb == nullptr || branch.app->get_parent() != &root) continue;
      branch.app->preparse_callback([&](std::size_t) { before_verb = root.remaining_size(); });
    }
    try {
      root.parse(std::move(typed));
    } catch (const CLI::ArgumentMismatch&) {
      return explain(program, tree, last);
    }
    CommandLine line = gather(root, tree);
    line.before_verb = before_verb;
    if (dashes != words.end()) line.after.assign(dashes + 1, words.end());
    return line;
  } catch (const std::exception& error) {
    // A bug in the description: a duplicate name, or one that CLI11 rejects.
    return fail(Cure::give_up, "describe", error.what());
  }
}

}  // namespace tidemill::command
