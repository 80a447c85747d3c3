// The parts of a link: [label](address "title"), [label][name], [name]: address.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace tidemill::docs_stub {

struct Link {
  std::string address{};
  std::string title{};
};
using References = std::map<std::string, Link>;  // by label, in lower case

// "dest", "<dest>", with a title or without; false: it is neither. `at` is moved behind it.
[[nodiscard]] bool read_destination(const std::string& text, std::size_t& at, Link& link);
[[nodiscard]] std::string label_of(const std::string& text);
// As addresses are written: percent signs for what may not stand there.
[[nodiscard]] std::string encoded(const std::string& address);
// Of the bracket that closes the one at `at`; npos: none does.
[[nodiscard]] std::size_t end_of_label(const std::string& text, std::size_t at);
// Behind the next run of backticks of this length; npos: there is none.
[[nodiscard]] std::size_t end_of_code(const std::string& text, std::size_t at, std::size_t length);

}  // namespace tidemill::docs_stub
