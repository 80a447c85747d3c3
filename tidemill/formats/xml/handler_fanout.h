// HandlerFanout: passes every event of one document to several handlers, in the order in which they
// joined.
#pragma once

#include <algorithm>
#include <vector>

#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::xml {

// One thread. The members must outlive the fan-out.
class HandlerFanout final : public Handler {
 public:
  void join(Handler& member) { members_.push_back(&member); }

  void doctype(const Doctype& doctype, Position where) override {
    for (Handler* member : members_) member->doctype(doctype, where);
  }
  bool has_dtd(const Doctype& doctype) override {
    return std::ranges::all_of(members_, [&](Handler* member) { return member->has_dtd(doctype); });
  }
  void start(const Element& element) override {
    for (Handler* member : members_) member->start(element);
  }
  void end(const Element& element) override {
    for (Handler* member : members_) member->end(element);
  }
  void text(std::string_view part, Position where) override {
    for (Handler* member : members_) member->text(part, where);
  }
  void instruction(std::string_view target, std::string_view data, Position where) override {
    for (Handler* member : members_) member->instruction(target, data, where);
  }
  void external_entity(std::string_view name, std::string_view system_id, Position where) override {
    for (Handler* member : members_) member->external_entity(name, system_id, where);
  }

 private:
  std::vector<Handler*> members_;
};

}  // namespace tidemill::xml
