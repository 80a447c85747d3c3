#include "tidemill/ui/command/completion/completion.h"

#include <string>

#include "tidemill/app/program/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/ui/cli/exit_code.h"

namespace tidemill::app {

command::Verb describe_completion() {
  return {
      .name = "completion",
      .summary = "print a completion script for bash, zsh or fish",
      .usage = {"%program completion bash|zsh|fish"},
      .examples = {{"%program completion bash > "
                    "~/.local/share/bash-completion/completions/%program",
                    "bash, with the package bash-completion"},
                   {"%program completion zsh > ~/.zfunc/_%program",
                    "zsh, if ~/.zfunc is in $fpath before compinit runs"},
                   {"%program completion fish > ~/.config/fish/completions/%program.fish", "fish"}},
      .description =
          {"Prints the script to standard output. Save it where your shell looks for "
           "completions, as in the examples, and start a new shell. Create the folder first if "
           "it does not exist. Print the script again after an update: it contains the verbs "
           "and flags of this version.",
           "The script completes verbs, flags, the values of flags, file names, the actions of "
           "%program failures, and runs: ids, last and last-JOB."},
      .arguments = {{.name = "SHELL",
                     .help = "bash, zsh or fish",
                     .kind = command::ValueKind::choice,
                     .choices = {"bash", "zsh", "fish"},
                     .is_required = true}}};
}

Result<int> run_completion(cli::CliContext& cli) {
  const std::string& shell = cli.values.argument("SHELL").front();
  std::string script;
  if (shell == "bash") {
    script = command::bash_completion(cli.program);
  } else if (shell == "zsh") {
    script = command::zsh_completion(cli.program);
  } else {
    script = command::fish_completion(cli.program);
  }
  TRY(cli.console->out(script));
  return cli::kDone;
}

}  // namespace tidemill::app
