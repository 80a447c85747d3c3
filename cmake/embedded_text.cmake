# tidemill_embed_text(<module> <file> <header> <function>): a text file of tidemill/, embedded in the program. A generated
# file defines two functions that the header declares: <function>() and <function>_hash(), of the SHA-256 of its bytes. The
# generated file names no folder, so that a compiler cache knows it in another clone too.
# Call it behind tidemill_module(<module> …). With -P this file is the script that writes the generated one.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${TEXT} text)
  file(SHA256 ${TEXT} hash)
  foreach(end IN ITEMS ")text\"" "</")
    string(FIND "${text}" "${end}" found)
    if(NOT found EQUAL -1)
      message(FATAL_ERROR "${TEXT}: ${end} would end the string literal, or the element of a page that it is in")
    endif()
  endforeach()
  set(code "// Written by cmake/embedded_text.cmake.\n#include \"${HEADER}\"\n\n")
  string(APPEND code "std::string_view ${FUNCTION}() {\n  return R\"text(${text})text\";\n}\n\n")
  string(APPEND code "std::string_view ${FUNCTION}_hash() {\n  return \"${hash}\";\n}\n")
  file(WRITE ${SOURCE} "${code}")
  return()
endif()

set(tidemill_embedded_text ${CMAKE_CURRENT_LIST_FILE})

function(tidemill_embed_text module file header function)
  string(REGEX REPLACE ".*::" "" name ${function})
  set(source ${PROJECT_BINARY_DIR}/${name}.cc)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -D TEXT=${PROJECT_SOURCE_DIR}/${file} -D HEADER=${header} -D FUNCTION=${function}
            -D SOURCE=${source} -P ${tidemill_embedded_text}
    DEPENDS ${tidemill_embedded_text} ${PROJECT_SOURCE_DIR}/${file} VERBATIM)
  # As with the grammars, a target that needs no library does not wait for one.
  add_custom_target(${name} DEPENDS ${source})
  add_dependencies(tidemill_${module} ${name})
  target_sources(tidemill_${module} PRIVATE ${source})
endfunction()
