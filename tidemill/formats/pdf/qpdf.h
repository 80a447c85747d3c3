// Includes the headers of libqpdf for the .cc files of this folder, with two settings: the last
// step of its transition away from PointerHolder, and without its JSON header, which clang cannot
// compile as C++23 and which nothing here uses.
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
