// The first and the last bytes of a PDF: what a reader looks at before anything else. For this
// folder only.
#pragma once

#include <vector>

#include "tidemill/formats/pdf/pdf_check.h"

namespace tidemill::pdf {

// Reports about the header (and the version, into `report.version`) and the end of the file.
void check_edges(int fd, Report& report);

}  // namespace tidemill::pdf
