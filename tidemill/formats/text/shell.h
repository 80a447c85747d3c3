// Formats commands as lines that a shell can run and that are safe to display. Nothing here fails.
#pragma once

#include <span>
#include <string>

namespace tidemill::text {

// Returns the command as one line that every POSIX shell (dash, bash, zsh, busybox) parses into
// exactly these words, and that runs nothing else. A word may contain any byte except NUL.
//
//   plain  'a b'  'it'\''s'             unchanged or in single quotes: all shells agree on those
//   "$(printf 'new\nline\377')"         a word that cannot be displayed (control characters,
//                                       invalid UTF-8, marks that change the reading direction)
//   eval "$(printf 'wc \047new\n\047')" the complete line, if a word ends with a newline: $(…)
//                                       would strip it
//
// So the line never contains a newline or a control character: it can be shown on a terminal, and
// grep or head on a script of such lines leaves only complete commands. $'…' would be shorter, but
// in dash a quote inside it ends the word, and the rest of a file name would be run.
[[nodiscard]] std::string shell_line(std::span<const std::string> words);

}  // namespace tidemill::text
