#include "tidemill/jobs/each/command/placeholders.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "tidemill/io/walk/folder_of.h"

namespace tidemill::each {
namespace {

std::string_view last_part(std::string_view name) {
  const auto slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

// The extension begins at the last dot of the last part, unless that is its first character:
// ".profile" has no extension.
std::string_view without_extension(std::string_view name) {
  const std::string_view last = last_part(name);
  const auto dot = last.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return name;
  return name.substr(0, name.size() - (last.size() - dot));
}

}  // namespace

std::vector<Placeholders::Piece> Placeholders::pieces_of(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, Part>, 6> kParts = {
      {{"{}", Part::whole},
       {"{.}", Part::stem},
       {"{/}", Part::last},
       {"{//}", Part::folder},
       {"{/.}", Part::last_stem},
       {"{#}", Part::number}}};
  std::vector<Piece> pieces;
  while (!word.empty()) {
    const auto* found = std::ranges::find_if(
        kParts, [&](const auto& part) { return word.starts_with(part.first); });
    if (found != kParts.end()) {
      pieces.push_back({.part = found->second});
      word.remove_prefix(found->first.size());
      continue;
    }
    if (pieces.empty() || pieces.back().part != Part::literal) pieces.push_back({});
    pieces.back().text += word.front();
    word.remove_prefix(1);
  }
  return pieces;
}

Placeholders::Placeholders(const std::vector<std::string>& words) {
  assert(!words.empty());
  bool has_name = false;
  words_.push_back({Piece{.text = words.front()}});
  for (const std::string& word : std::ranges::subrange(words.begin() + 1, words.end())) {
    words_.push_back(pieces_of(word));
    has_name = has_name || std::ranges::any_of(words_.back(), [](const Piece& piece) {
                 return piece.part != Part::literal && piece.part != Part::number;
               });
  }
  if (!has_name) words_.push_back({Piece{.part = Part::whole}});
}

void Placeholders::append(const Piece& piece, std::string_view name, std::uint64_t number,
                          std::string& argument) {
  const auto put = [&](std::string_view text) {
    if (argument.empty() && text.starts_with('-')) argument += "./";
    argument += text;
  };
  switch (piece.part) {
    case Part::literal:
      argument += piece.text;
      return;
    case Part::whole:
      return put(name);
    case Part::stem:
      return put(without_extension(name));
    case Part::last:
      return put(last_part(name));
    case Part::folder:
      return put(walk::folder_of(name));
    case Part::last_stem:
      return put(without_extension(last_part(name)));
    case Part::number:
      argument += std::to_string(number);
  }
}

void Placeholders::expand(std::string_view name, std::uint64_t number,
                          std::vector<std::string>& arguments) const {
  arguments.resize(words_.size());
  for (std::size_t i = 0; i < words_.size(); ++i) {
    arguments[i].clear();
    for (const Piece& piece : words_[i]) append(piece, name, number, arguments[i]);
  }
}

std::vector<std::string> shell_arguments(const std::string& script, std::string_view name) {
  return {"sh", "-c", script, "sh", (name.starts_with('-') ? "./" : "") + std::string(name)};
}

}  // namespace tidemill::each
