// Command lines that a shell can run and a person can be shown. Nothing can fail.
#pragma once

#include <span>
#include <string>

namespace tidemill::text {

// The command as one line that every POSIX shell (dash, bash, zsh, busybox) reads back as these
// very words, and that runs nothing else. A word may hold any bytes but NUL.
//
//   plain  'a b'  'it'\''s'             as they are, or in single quotes: all shells agree on those
//   "$(printf 'new\nline\377')"         a word that cannot be shown as it is (controls, bytes that
//                                       are not UTF-8, marks that turn the reading direction)
//   eval "$(printf 'wc \047new\n\047')" the whole line, if such a word ends with a line end: $(…)
//                                       would cut it off
//
// So the line never holds a line end or a control: it can be shown on a terminal, and a script of
// such lines stays a script of whole commands behind grep or head. $'…' would be shorter, but to
// dash a quote in it ends the word, and the rest of a file's name is then run.
[[nodiscard]] std::string shell_line(std::span<const std::string> words);

}  // namespace tidemill::text
