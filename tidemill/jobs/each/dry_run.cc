// --dry-run: prints the commands, quoted for any POSIX shell. Changes nothing.

#include <string>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/shell.h"
#include "tidemill/jobs/each/command/placeholders.h"
#include "tidemill/jobs/each/each.h"
#include "tidemill/jobs/tasks/names.h"

namespace tidemill::each {

Result<std::uint64_t> print_commands(const EachOptions& options, command::Context& context) {
  const Placeholders placeholders(options.command);
  std::vector<std::string> arguments;
  std::uint64_t number = 0;
  Result<void> printed;
  const auto on_name = [&](jobs::TaskName&& name) {
    ++number;
    if (name.failure) {
      context.console.say(command::Tone::warning, text::printable(text_of(*name.failure)));
      return true;
    }
    if (options.shell) {
      arguments = shell_arguments(options.command.front(), name.subject);
    } else {
      placeholders.expand(name.subject, number, arguments);
    }
    printed = context.console.out(text::shell_line(arguments) + "\n");
    return printed.has_value();
  };
  const auto found = jobs::each_name(options.files, {}, context.stop, on_name);
  TRY(printed);
  TRY(found);
  return number;
}

}  // namespace tidemill::each
