// The headers of libqpdf, for the .cc files of this folder, with two choices made for them:
// which step of the farewell to one of their types is meant (the last), and that the header of
// their JSON, which clang cannot read as C++23, is left out. Nothing here uses it.
#pragma once

// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define POINTERHOLDER_TRANSITION 4
#define JSON_HH
// NOLINTEND(cppcoreguidelines-macro-usage)

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

class JSON;

#include <qpdf/InputSource.hh>
#include <qpdf/Pipeline.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFExc.hh>
#include <qpdf/QPDFObjectHandle.hh>
#include <qpdf/QPDFWriter.hh>
