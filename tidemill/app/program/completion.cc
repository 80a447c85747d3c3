#include "tidemill/ui/command/completion/completion.h"

#include <array>
#include <string>

#include "tidemill/app/program/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/command/nearest.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {

command::Verb describe_completion() {
  return {.name = "completion",
          .summary = "print a script that completes command lines in a shell",
          .usage = {"%program completion bash|zsh|fish"},
          .examples = {{"%program completion bash > "
                        "~/.local/share/bash-completion/completions/%program",
                        "for bash, with the package bash-completion"},
                       {"%program completion zsh > ~/.zfunc/_%program",
                        "for zsh, when ~/.zfunc is in $fpath before compinit is called"},
                       {"%program completion fish > ~/.config/fish/completions/%program.fish",
                        "for fish"}},
          .description =
              {"Prints the script on standard output. Put it where the shell looks for it, as the "
               "examples do, and start a new shell. The folder may have to be made first. Print "
               "it again after an update: the script knows the verbs and flags of this version."},
          .arguments = {{.name = "SHELL",
                         .help = "bash, zsh or fish",
                         .kind = command::Kind::text,
                         .is_required = true}}};
}

Result<int> run_completion(cli::Desk& desk) {
  static const std::array<std::string, 3> kShells = {"bash", "zsh", "fish"};
  const std::string& shell = desk.values.argument("SHELL").front();
  std::string script;
  if (shell == "bash") {
    script = command::bash_completion(desk.program);
  } else if (shell == "zsh") {
    script = command::zsh_completion(desk.program);
  } else if (shell == "fish") {
    script = command::fish_completion(desk.program);
  } else {
    return command::misuse(
        "there is no completion for " + command::in_quotes(shell),
        command::did_you_mean(command::nearest(shell, kShells)) + "there are bash, zsh and fish");
  }
  TRY(desk.console->out(script));
  return cli::kDone;
}

}  // namespace tidemill::app
