#include "tidemill/formats/epub/grammar/pattern.h"

#include <algorithm>

namespace tidemill::epub {

Patterns::Patterns(std::uint32_t tags) : tags_(tags) {
  nodes_ = {{.kind = Kind::not_allowed},
            {.kind = Kind::empty, .may_end = true},
            {.kind = Kind::anything, .may_end = true}};
  rows_.resize(nodes_.size());
}

Pattern Patterns::intern(Kind kind, Pattern a, Pattern b, bool may_end) {
  const auto [found, is_new] =
      known_.try_emplace({.kind = kind, .a = a, .b = b}, static_cast<Pattern>(nodes_.size()));
  if (is_new) {
    nodes_.push_back({.kind = kind, .may_end = may_end, .a = a, .b = b});
    rows_.emplace_back();
  }
  return found->second;
}

Pattern Patterns::one(Symbol symbol, TypeId type) { return intern(Kind::one, symbol, type, false); }

Pattern Patterns::text_pattern() { return intern(Kind::text, text(), 0, true); }

void Patterns::parts_of(Kind kind, Pattern pattern, std::vector<Pattern>& into) const {
  while (nodes_[pattern].kind == kind) {
    into.push_back(nodes_[pattern].a);
    pattern = nodes_[pattern].b;
  }
  into.push_back(pattern);
}

Pattern Patterns::choice(Pattern a, Pattern b) {
  if (a == b || b == kNotAllowed) return a;
  if (a == kNotAllowed) return b;
  return choice_of({a, b});
}

// A choice is a chain of its alternatives, sorted by number and without duplicates, so that equal
// choices are the same pattern no matter how they were built.
Pattern Patterns::choice_of(const std::vector<Pattern>& alternatives) {
  std::vector<Pattern> parts;
  for (const Pattern alternative : alternatives) parts_of(Kind::choice, alternative, parts);
  std::ranges::sort(parts);
  parts.erase(std::ranges::unique(parts).begin(), parts.end());
  if (std::ranges::binary_search(parts, kAnything)) return kAnything;
  const auto may_end_alone = [&](Pattern part) { return part > kEmpty && may_end(part); };
  if (std::ranges::any_of(parts, may_end_alone)) std::erase(parts, kEmpty);
  if (parts.size() > 1) std::erase(parts, kNotAllowed);
  Pattern made = parts.back();
  for (auto part = parts.rbegin() + 1; part != parts.rend(); ++part) {
    made = intern(Kind::choice, *part, made, may_end(*part) || may_end(made));
  }
  return made;
}

Pattern Patterns::sequence(Pattern a, Pattern b) {
  if (a == kNotAllowed || b == kNotAllowed) return kNotAllowed;
  if (a == kEmpty) return b;
  if (b == kEmpty) return a;
  if (nodes_[a].kind == Kind::sequence) {
    const auto [first, rest] = std::pair(nodes_[a].a, nodes_[a].b);
    return sequence(first, sequence(rest, b));
  }
  return intern(Kind::sequence, a, b, nodes_[a].may_end && nodes_[b].may_end);
}

Pattern Patterns::interleave(Pattern a, Pattern b) {
  if (a == kNotAllowed || b == kNotAllowed) return kNotAllowed;
  if (a == kEmpty) return b;
  if (b == kEmpty) return a;
  std::vector<Pattern> parts;
  parts_of(Kind::interleave, a, parts);
  parts_of(Kind::interleave, b, parts);
  std::ranges::sort(parts);
  Pattern made = parts.back();
  for (auto part = parts.rbegin() + 1; part != parts.rend(); ++part) {
    made = intern(Kind::interleave, *part, made, nodes_[*part].may_end && nodes_[made].may_end);
  }
  return made;
}

Pattern Patterns::some(Pattern part) {
  if (part == kNotAllowed || part == kEmpty || part == kAnything) return part;
  if (nodes_[part].kind == Kind::some || nodes_[part].kind == Kind::text) return part;
  return intern(Kind::some, part, 0, nodes_[part].may_end);
}

Pattern Patterns::left_after(Pattern pattern, Symbol symbol, TypeId& type) {
  const Node node = nodes_[pattern];  // a copy: the array grows below
  switch (node.kind) {
    case Kind::not_allowed:
    case Kind::empty:
      return kNotAllowed;
    case Kind::anything:
      return kAnything;
    case Kind::one:
      if (node.a != symbol) return kNotAllowed;
      type = static_cast<TypeId>(node.b);
      return kEmpty;
    case Kind::text:
      return symbol == text() ? pattern : kNotAllowed;
    case Kind::choice: {
      const Pattern first = left_after(node.a, symbol, type);
      return choice(first, left_after(node.b, symbol, type));
    }
    case Kind::sequence: {
      const Pattern first = sequence(left_after(node.a, symbol, type), node.b);
      if (!nodes_[node.a].may_end) return first;
      return choice(first, left_after(node.b, symbol, type));
    }
    case Kind::interleave: {
      const Pattern first = interleave(left_after(node.a, symbol, type), node.b);
      return choice(first, interleave(node.a, left_after(node.b, symbol, type)));
    }
    case Kind::some:
      return sequence(left_after(node.a, symbol, type), choice(kEmpty, pattern));
  }
  return kNotAllowed;
}

Patterns::Step Patterns::fill(Pattern state, Symbol symbol) {
  if (rows_[state] == nullptr) rows_[state] = std::make_unique<Step[]>(tags_ + 5U);
  Step step;
  step.next = left_after(state, symbol, step.type);
  if (step.next == kNotAllowed && symbol != text()) {
    step.next = left_after(state, unnamed(), step.type);
  }
  rows_[state][symbol] = step;
  return step;
}

std::vector<Symbol> Patterns::first_of(Pattern pattern) const {
  std::vector<Symbol> found;
  std::vector<Pattern> open = {pattern};
  while (!open.empty()) {
    const Node& node = nodes_[open.back()];
    open.pop_back();
    if (node.kind == Kind::one || node.kind == Kind::text) found.push_back(node.a);
    if (node.kind == Kind::some || node.kind == Kind::sequence) open.push_back(node.a);
    if (node.kind == Kind::sequence && nodes_[node.a].may_end) open.push_back(node.b);
    if (node.kind == Kind::choice || node.kind == Kind::interleave) {
      open.push_back(node.a);
      open.push_back(node.b);
    }
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

void Patterns::types_in(Pattern pattern, std::vector<std::pair<Symbol, TypeId>>& into) const {
  std::vector<Pattern> open = {pattern};
  while (!open.empty()) {
    const Node& node = nodes_[open.back()];
    open.pop_back();
    if (node.kind == Kind::one) into.emplace_back(node.a, static_cast<TypeId>(node.b));
    if (node.kind == Kind::some) open.push_back(node.a);
    if (node.kind == Kind::sequence || node.kind == Kind::choice || node.kind == Kind::interleave) {
      open.push_back(node.a);
      open.push_back(node.b);
    }
  }
  std::ranges::sort(into);
  into.erase(std::ranges::unique(into).begin(), into.end());
}

}  // namespace tidemill::epub
