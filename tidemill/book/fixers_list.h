// The fixers of documents, one function each; fixers_safe.cc has the table.
#pragma once

#include "tidemill/book/draft.h"
#include "tidemill/book/inspection.h"
#include "tidemill/book/plan.h"

namespace tidemill::book {

void mend_dates(const Inspection& found, Draft& draft, Plan& plan);
void mend_encoding(const Inspection& found, Draft& draft, Plan& plan);
void mend_entities(const Inspection& found, Draft& draft, Plan& plan);
void mend_guide(const Inspection& found, Draft& draft, Plan& plan);
void mend_identifier(const Inspection& found, Draft& draft, Plan& plan);
void mend_ids(const Inspection& found, Draft& draft, Plan& plan);
void mend_items(const Inspection& found, Draft& draft, Plan& plan);
void mend_languages(const Inspection& found, Draft& draft, Plan& plan);
void mend_lengths(const Inspection& found, Draft& draft, Plan& plan);
void mend_manifest(const Inspection& found, Draft& draft, Plan& plan);
void mend_media_types(const Inspection& found, Draft& draft, Plan& plan);
void mend_ncx_uid(const Inspection& found, Draft& draft, Plan& plan);
void mend_play_order(const Inspection& found, Draft& draft, Plan& plan);
void mend_svg_background(const Inspection& found, Draft& draft, Plan& plan);
void mend_urls(const Inspection& found, Draft& draft, Plan& plan);

}  // namespace tidemill::book
