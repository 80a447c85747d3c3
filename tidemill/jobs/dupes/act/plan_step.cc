#include "tidemill/jobs/dupes/act/plan_step.h"

#include <utility>

#include "tidemill/base/varint.h"

namespace tidemill::dupes {
namespace {

constexpr char kVersion = 2;
constexpr char kOldest = 1;  // without the fields of visit_second()

// One list of fields serves for writing and reading: Out writes a field, In reads it.
struct Out {
  std::string bytes{};

  void operator()(const std::string& text) {
    number(text.size());
    bytes += text;
  }
  void number(std::uint64_t value) { append_varint(bytes, value); }
  template <class Number>
  void operator()(Number value) {
    number(static_cast<std::uint64_t>(value));
  }
};

struct In {
  std::string_view bytes{};
  bool is_good = true;

  std::uint64_t number() {
    const auto value = take_varint(bytes);
    is_good = is_good && value.has_value();
    return value.value_or(0);
  }
  void operator()(std::string& text) {
    const std::uint64_t size = number();
    is_good = is_good && size <= bytes.size();
    if (!is_good) return;
    text = bytes.substr(0, size);
    bytes.remove_prefix(size);
  }
  template <class Number>
  void operator()(Number& value) {
    value = static_cast<Number>(number());
  }
};

template <class Visitor, class AStamp>
void visit_stamp(Visitor& visit, AStamp& stamp) {
  visit(stamp.device);
  visit(stamp.inode);
  visit(stamp.size);
  visit(stamp.mtime_ns);
  visit(stamp.ctime_ns);
}

template <class Visitor, class ASite>
void visit_site(Visitor& visit, ASite& site) {
  visit(site.path);
  visit(site.root_bytes);
}

template <class Visitor, class AStep>
void visit_plain(Visitor& visit, AStep& step) {
  visit(step.action);
  visit(step.lenience.mtime);
  visit(step.lenience.mode);
  visit(step.lenience.owner);
  visit(step.lenience.xattrs);
  visit_site(visit, step.kept);
  visit_site(visit, step.duplicate);
  visit_site(visit, step.target);
  visit_stamp(visit, step.kept_stamp);
  visit_stamp(visit, step.stamp);
  visit_stamp(visit, step.after);
  visit(step.reclaimable);
  visit(step.is_begun);
  visit(step.digest);
  visit(step.metadata.mode);
  visit(step.metadata.user);
  visit(step.metadata.group);
  visit(step.metadata.mtime_ns);
}

template <class Visitor, class AStep>
void visit_second(Visitor& visit, AStep& step) {
  visit(step.lenience.folder);
  visit(step.kept_user);
  visit(step.folder_user);
}

}  // namespace

std::string_view Site::folder() const {
  const std::string_view way = std::string_view(path).substr(root_bytes);
  const std::size_t slash = way.rfind('/');
  std::string_view folder = slash == std::string_view::npos ? "" : way.substr(0, slash);
  while (folder.starts_with('/')) folder.remove_prefix(1);
  return folder;
}

std::string Site::name() const {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

Site site_of(std::string_view path, std::string_view root) {
  while (root.size() > 1 && root.ends_with('/')) root.remove_suffix(1);
  const bool is_below = !root.empty() && path.size() > root.size() && path.starts_with(root) &&
                        (root == "/" || path[root.size()] == '/');
  if (is_below) return {.path = std::string(path), .root_bytes = root.size()};
  const std::size_t slash = path.rfind('/');
  const std::size_t bytes = slash == std::string_view::npos ? 0 : slash == 0 ? 1 : slash;
  return {.path = std::string(path), .root_bytes = bytes};
}

std::string aim_of(const PlanStep& step) {
  if (step.action == Action::move) return " to " + step.target.path;
  return (step.action == Action::remove ? ", keeping " : " to ") + step.kept.path;
}

std::string_view type_of(Action action) {
  switch (action) {
    case Action::hardlink:
      return "hardlink";
    case Action::reflink:
      return "reflink";
    case Action::remove:
      return "delete";
    case Action::move:
      return "move";
    case Action::script:
      return "script";
    case Action::none:
      break;
  }
  return "none";
}

std::string packed(const PlanStep& step) {
  Out out;
  out.bytes += kVersion;
  visit_plain(out, step);
  out.number(step.metadata.xattrs.size());
  for (const auto& [name, value] : step.metadata.xattrs) {
    out(name);
    out(value);
  }
  visit_second(out, step);
  return std::move(out.bytes);
}

std::optional<PlanStep> step_of(std::string_view bytes) {
  if (bytes.empty() || bytes.front() < kOldest || bytes.front() > kVersion) return {};
  In in{.bytes = bytes.substr(1)};
  PlanStep step;
  visit_plain(in, step);
  for (std::uint64_t left = in.number(); left > 0 && in.is_good; --left) {
    auto& [name, value] = step.metadata.xattrs.emplace_back();
    in(name);
    in(value);
  }
  if (bytes.front() > kOldest) visit_second(in, step);
  const bool is_known = step.action >= Action::hardlink && step.action <= Action::move;
  const bool is_whole = in.is_good && in.bytes.empty() && is_known &&
                        step.kept.root_bytes <= step.kept.path.size() &&
                        step.duplicate.root_bytes <= step.duplicate.path.size() &&
                        step.target.root_bytes <= step.target.path.size();
  return is_whole ? std::optional(std::move(step)) : std::nullopt;
}

}  // namespace tidemill::dupes
