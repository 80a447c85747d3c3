# Installs BUILD into a prefix of its own, looks at what is there, builds EXAMPLE against it as a stranger would, and checks
# its output. FLAGS are those of the build: a library with a sanitizer in it links only with more of
# the same.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${out}")
  endif()
endfunction()

set(prefix ${SCRATCH}/prefix)
set(consumer ${SCRATCH}/consumer)
file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

file(GLOB_RECURSE installed RELATIVE ${prefix} ${prefix}/*)
foreach(file IN LISTS installed)
  if(file MATCHES "^(bin/tidemill|share/man/man1/tidemill[a-z-]*\\.1|share/[^ ]*/_?tidemill(\\.fish)?)$")
    continue()  # the program, its manual and its completions
  endif()
  if(file MATCHES "^share/tidemill/tokens/[a-z0-9_]+\\.tokens$")
    continue()  # its tables of tokens
  endif()
  if(file STREQUAL "share/tidemill/warm.jar")
    continue()  # what keeps EPUBCheck warm
  endif()
  if(NOT file MATCHES "^(include/tidemill/[a-z0-9_/]+\\.h|lib[^ ]*\\.(a|cmake))$" OR file MATCHES "_(test|rig)\\.|/testing/"
     OR file MATCHES "(redis|hash|http|jobs_|queue|catalogue|epub)[a-z_]*\\.a$")
    message(SEND_ERROR "should not be installed: ${file}")
  endif()
endforeach()

# Only interfaces are installed, and they need nothing that is not: neither the subfolders of the engine nor their headers, nor
# a header of another library.
set(all_headers "")
foreach(file IN LISTS installed)
  if(file MATCHES "/(dispatch|worker_state|backlog|slab|waitlist|executor)[a-z_]*\\.h$" OR file MATCHES "^include/tidemill/engine/.*/")
    message(SEND_ERROR "is not an interface, and is installed: ${file}")
  endif()
  if(file MATCHES "^include/(tidemill/.*\\.h)$")
    string(APPEND all_headers "#include \"${CMAKE_MATCH_1}\"\n")
  endif()
endforeach()
file(WRITE ${SCRATCH}/all_headers.cc "${all_headers}")
run(${COMPILER} -std=c++23 -fsyntax-only -I ${prefix}/include ${SCRATCH}/all_headers.cc)

# What stands in share/tidemill is made by these targets. Who builds the program alone must be able to install.
if(NINJA)
  execute_process(COMMAND ${NINJA} -C ${BUILD} -t query tidemill OUTPUT_VARIABLE inputs)
  foreach(part "tokens/:token_tables" "warm.jar:warm")
    string(REPLACE ":" ";" pair ${part})
    list(GET pair 0 file)
    list(GET pair 1 target)
    if(installed MATCHES "share/tidemill/${file}" AND NOT inputs MATCHES " ${target}\n")
      message(SEND_ERROR "is installed, but not built with the program: ${file}")
    endif()
  endforeach()
endif()

run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${consumer}
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_FLAGS=${FLAGS}
    -D EXAMPLE=${EXAMPLE})
run(${CMAKE_COMMAND} --build ${consumer})
run(${PYTHON3} ${CHECK} ${consumer}/consumer ${EXAMPLE})
