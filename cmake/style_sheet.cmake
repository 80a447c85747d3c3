# The style sheet tidemill/formats/html/style.css, embedded in the program: one generated file defines the functions that
# tidemill/formats/html/style_sheet.h declares. The generated file names no folder, so that a compiler cache knows it in
# another clone too.
# Include it behind tidemill_module(formats/html …). With -P it is the script that writes the file.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${STYLE} text)
  file(SHA256 ${STYLE} hash)
  foreach(end IN ITEMS ")css\"" "</")
    string(FIND "${text}" "${end}" found)
    if(NOT found EQUAL -1)
      message(FATAL_ERROR "${STYLE}: ${end} would end the string literal, or the style element of a report")
    endif()
  endforeach()
  set(code "// Written by cmake/style_sheet.cmake.\n#include \"tidemill/formats/html/style_sheet.h\"\n\n")
  string(APPEND code "std::string_view tidemill::html::style_sheet() {\n  return R\"css(${text})css\";\n}\n\n")
  string(APPEND code "std::string_view tidemill::html::style_sheet_hash() {\n  return \"${hash}\";\n}\n")
  file(WRITE ${SOURCE} "${code}")
  return()
endif()

set(style_file ${PROJECT_SOURCE_DIR}/tidemill/formats/html/style.css)
set(style_source ${PROJECT_BINARY_DIR}/style_sheet.cc)
add_custom_command(
  OUTPUT ${style_source}
  COMMAND ${CMAKE_COMMAND} -D STYLE=${style_file} -D SOURCE=${style_source} -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${CMAKE_CURRENT_LIST_FILE} ${style_file} VERBATIM)
# As with the grammars, a target that needs no library does not wait for one.
add_custom_target(style_sheet DEPENDS ${style_source})
add_dependencies(tidemill_html style_sheet)
target_sources(tidemill_html PRIVATE ${style_source})
