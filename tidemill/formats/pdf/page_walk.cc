#include "tidemill/formats/pdf/page_walk.h"

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "tidemill/formats/pdf/qpdf.h"

namespace tidemill::pdf {
namespace {

constexpr std::size_t kDeepest = 500;

struct Node {
  QPDFObjectHandle kids;
  int next = 0;
};

bool is_node(QPDFObjectHandle& object) { return object.getKey("/Kids").isArray(); }

// Counts a page, or notes why the child cannot be used. Pushes a node that must be entered.
void visit(QPDFObjectHandle kid, PageWalk& walk, std::vector<Node>& path,
           std::set<QPDFObjGen>& seen) {
  if (!kid.isDictionary()) {
    walk.has_strangers = true;
    return;
  }
  if (!is_node(kid)) {  // a page listed twice counts twice, as in readers and libqpdf
    ++walk.pages;
    return;
  }
  if (kid.isIndirect() && !seen.insert(kid.getObjGen()).second) {
    walk.has_loop = true;
    return;
  }
  if (path.size() >= kDeepest) {
    walk.is_too_deep = true;
    return;
  }
  path.push_back({.kids = kid.getKey("/Kids")});
}

}  // namespace

PageWalk walk_pages(QPDF& pdf) {
  PageWalk walk;
  std::set<QPDFObjGen> seen;
  std::vector<Node> path;
  QPDFObjectHandle root = pdf.getRoot().getKey("/Pages");
  if (!root.isDictionary()) return walk;
  visit(root, walk, path, seen);
  while (!path.empty()) {
    Node& node = path.back();
    if (node.next >= node.kids.getArrayNItems()) {
      path.pop_back();
      continue;
    }
    visit(node.kids.getArrayItem(node.next++), walk, path, seen);
  }
  return walk;
}

}  // namespace tidemill::pdf
