# What makes a build fast and changes nothing about its result: a compiler cache and a fast linker, where the machine
# has them.

option(TIDEMILL_CCACHE "Compile through ccache, when it is installed" ${PROJECT_IS_TOP_LEVEL})
find_program(CCACHE ccache)
if(TIDEMILL_CCACHE AND CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${PROJECT_SOURCE_DIR}/cmake/cached_compiler.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CCACHE})
endif()

# Without these options a precompiled header depends on where and when it was built.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
else()
  add_compile_options(-fpch-preprocess)
endif()

option(TIDEMILL_LLD "Link with lld, when it is installed" ${PROJECT_IS_TOP_LEVEL})
find_program(LLD ld.lld)
if(TIDEMILL_LLD AND LLD)
  add_link_options(-fuse-ld=lld)
endif()
