#include "tidemill/jobs/dupes/act/plan.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "tidemill/jobs/dupes/report/freed.h"

namespace tidemill::dupes {
namespace {

std::string_view root_at(const DupesOptions& options, std::size_t index) {
  if (index < options.roots.size()) return options.roots[index];
  index -= options.roots.size();
  return index < options.references.size() ? std::string_view(options.references[index])
                                           : std::string_view();
}

std::string last_part(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(path.substr(path.rfind('/') + 1));
}

// With several roots, files with the same path below two of them must not get the same target.
std::string label_of(const DupesOptions& options, std::size_t index) {
  if (options.roots.size() < 2) return {};
  const std::string label = last_part(options.roots[index]);
  std::size_t alike = 0;
  for (const std::string& root : options.roots) alike += last_part(root) == label ? 1U : 0U;
  const bool is_name = !label.empty() && label != "." && label != "..";
  if (is_name && alike == 1) return label + '/';
  return (is_name ? label + '-' : "root-") + std::to_string(index + 1) + '/';
}

// The folders of a file that was named by a list, for the path below DIR: never one above it.
std::string way_of(std::string_view path) {
  std::string way;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/')) {
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(slash + 1);
    if (!part.empty() && part != "." && part != "..") way.append(part).append("/");
  }
  return way;
}

Site target_of(const DupesOptions& options, const FileName& name, const Site& site) {
  std::string path = options.move_to;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::size_t root_bytes = path.size();
  path += '/';
  if (name.root < options.roots.size()) path += label_of(options, name.root);
  if (!options.files_from.empty()) path += way_of(name.path);
  if (!site.folder().empty()) path.append(site.folder()).append("/");
  return {.path = path + site.name(), .root_bytes = root_bytes};
}

std::string reason_against(const DupesOptions& options, const Copy& copy, const PlanStep& step) {
  const bool has_reference = std::ranges::any_of(copy.names, &FileName::is_reference);
  const bool is_shared = copy.blocks > 0 && copy.shared >= copy.blocks;
  // A folder that is mounted twice: what looks like two names is one name.
  if (copy.names.size() > copy.links)
    return "the file was found under more names than its link count";
  switch (options.action) {
    case Action::hardlink:
      if (has_reference) return "the file has a name in a reference root";
      if (copy.links > copy.names.size()) {
        return "the file has hard links that were not found; linking this one would reclaim "
               "nothing";
      }
      break;
    case Action::reflink:
      if (has_reference) return "the file has a name in a reference root";
      if (is_shared) return "the file already shares all of its blocks";
      break;
    case Action::move:
      if (step.duplicate.path.starts_with(step.target.root() + '/')) {
        return "the file is already in " + step.target.root();
      }
      break;
    case Action::remove:
    case Action::script:
    case Action::none:
      break;
  }
  return {};
}

bool steps_of_copy(const Copy& copy, const Copy& kept, const DupesOptions& options,
                   const std::function<bool(Planned)>& on_step) {
  std::vector<const FileName*> names;
  for (const FileName& name : copy.names) {
    if (!name.is_reference) names.push_back(&name);
  }
  if (options.action == Action::reflink && names.size() > 1) names.resize(1);
  for (const FileName* const name : names) {
    Planned planned{.step = {.action = options.action,
                             .lenience = options.lenience,
                             .kept = site_of(kept.names.front(), options),
                             .duplicate = site_of(*name, options),
                             .kept_stamp = kept.stamp,
                             .stamp = copy.stamp}};
    PlanStep& step = planned.step;
    if (options.action == Action::move) step.target = target_of(options, *name, step.duplicate);
    // The blocks are freed when the last of the names is removed.
    const bool frees = name == names.back() && options.action != Action::move;
    if (frees) step.reclaimable = freed_bytes(copy);
    planned.declined = reason_against(options, copy, step);
    if (!on_step(std::move(planned))) return false;
  }
  return true;
}

}  // namespace

Site site_of(const FileName& name, const DupesOptions& options) {
  return site_of(name.path, root_at(options, name.root));
}

bool each_step(const Group& group, const DupesOptions& options,
               const std::function<bool(Planned)>& on_step) {
  const auto is_here = [](const Copy& copy) { return copy.host.empty() && !copy.names.empty(); };
  const auto kept = std::ranges::find_if(group.copies, is_here);
  if (kept == group.copies.end()) return true;
  for (const Copy& copy : std::ranges::subrange(kept + 1, group.copies.end())) {
    if (is_here(copy) && !steps_of_copy(copy, *kept, options, on_step)) return false;
  }
  return true;
}

}  // namespace tidemill::dupes
