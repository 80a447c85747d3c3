// ServedSite: which URL is which screen, and what every answer is sent with. It only reads: GET and
// HEAD, everything else is 405.
//
//   /                          runs
//   /run/ID                    one run
//   /run/ID/failures           why its tasks failed; /run/ID/failures/REASON: the tasks of a reason
//   /run/ID/tasks              its tasks
//   /run/ID/task/N             one of them
//   /compare?run=ID&with=ID    two runs
//   /style.css /app.js /favicon.ico /healthz /readyz   no data, so without the token
//
// Unknown paths are 404 with a page; so are runs that do not exist: an id is looked up in the list
// of the state folder, and no path of a file ever comes from a URL. A failure to read something is
// a page with status 500 that says what failed.
#pragma once

#include <string>
#include <vector>

#include "tidemill/app/serve/access_gate.h"
#include "tidemill/app/serve/serve_screens.h"
#include "tidemill/io/web/asset.h"
#include "tidemill/io/web/incoming.h"
#include "tidemill/io/web/web_reply.h"

namespace tidemill::app {

// Thread-safe.
class ServedSite {
 public:
  // What the context refers to must outlive the site.
  ServedSite(const ServeContext& context, AccessGate gate);

  [[nodiscard]] web::WebReply answer(const web::Incoming& incoming);

 private:
  [[nodiscard]] web::WebReply answer_without_headers(const web::Incoming& incoming);
  [[nodiscard]] web::WebReply answer_page(const web::Incoming& incoming,
                                          const std::vector<std::string>& path,
                                          const web::Form& query);
  [[nodiscard]] Result<ServedScreen> screen_at(const std::vector<std::string>& path,
                                               const web::Form& query);
  [[nodiscard]] Result<ServedScreen> screen_of_run(const std::vector<std::string>& path,
                                                   const web::Form& query);
  [[nodiscard]] web::WebReply sign_in_reply() const;
  [[nodiscard]] web::WebReply reply_of(const ServedScreen& screen, const std::string& path) const;

  ServeContext context_;
  const AccessGate gate_;
  const web::Asset style_;
  const web::Asset script_;
  const web::Asset icon_;
};

}  // namespace tidemill::app
