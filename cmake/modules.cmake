# Which module may include which: the one list, which tools/check_layers.py reads too. A module is a folder of tidemill/
# with everything in it; its USES are the modules it may include, named without their layer (jobs and verbs keep it). They
# are listed before it and belong to a layer below or to its own. Only the layer above uses a job; jobs/* are all jobs.
set(tidemill_layers base engine io formats state ui jobs app)
# The first must not use the second, by whatever way: these programs and jobs do without Redis.
set(tidemill_apart jobs/dupes:redis jobs/import:redis jobs/books:redis jobs/docs:redis app/runs:redis)

tidemill_module(base)
tidemill_module(engine HOT USES base LINKS Threads::Threads)
if(TIDEMILL_TESTS)
  # MAY_USE: whoever includes such a header of testing links what it needs itself.
  tidemill_module(testing WHOLE USES base engine MAY_USE store redis command journal run queue LINKS GTest::gtest)
endif()
if(NOT TIDEMILL_PROGRAM)
  return()
endif()

find_package(SQLite3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
tidemill_by_name(XXHASH_LIBRARY xxhash)
find_package(simdjson REQUIRED)
find_library(ISAL_LIBRARY isal REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
find_library(HIREDIS_LIBRARY hiredis REQUIRED)
find_package(ZLIB REQUIRED)
find_package(LibXml2 REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc)
find_library(QPDF_LIBRARY qpdf REQUIRED)
find_library(SECCOMP_LIBRARY seccomp REQUIRED)
find_package(CURL REQUIRED)
tidemill_by_name(NCURSESW_LIBRARY ncursesw)
tidemill_by_name(TINFO_LIBRARY tinfo)

tidemill_module(io/store HOT USES base LINKS SQLite::SQLite3 Threads::Threads ${XXHASH_LIBRARY})
tidemill_module(io/redis USES base LINKS ${HIREDIS_LIBRARY} OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
tidemill_module(io/walk HOT USES base LINKS Threads::Threads)
tidemill_module(io/files USES base walk)
tidemill_module(io/proc USES base LINKS Threads::Threads)
tidemill_module(io/hash HOT USES base LINKS OpenSSL::Crypto ${XXHASH_LIBRARY})
tidemill_module(io/sandbox USES base LINKS ${SECCOMP_LIBRARY} Threads::Threads)
tidemill_module(io/http USES base engine LINKS CURL::libcurl)
tidemill_module(io/web USES base LINKS ZLIB::ZLIB Threads::Threads)

tidemill_module(formats/text ONE_THREAD USES base)
tidemill_module(formats/jsonl HOT USES base text LINKS simdjson::simdjson ${ISAL_LIBRARY} ${ZSTD_LIBRARY})
tidemill_module(formats/tokens ONE_THREAD HOT USES base text LINKS simdjson::simdjson)
include(cmake/tokens.cmake)
tidemill_module(formats/xml ONE_THREAD USES text LINKS LibXml2::LibXml2)
tidemill_module(formats/zip ONE_THREAD USES base LINKS ZLIB::ZLIB ${ISAL_LIBRARY})
tidemill_module(formats/pdf ONE_THREAD USES base LINKS ${QPDF_LIBRARY} TEST_LINKS ZLIB::ZLIB)
tidemill_module(formats/epub ONE_THREAD USES base files text xml zip LINKS ICU::uc)
include(cmake/grammar_files.cmake)
tidemill_module(formats/html ONE_THREAD USES base text LINKS fmt::fmt)
include(cmake/embedded_text.cmake)
tidemill_embed_text(html tidemill/formats/html/style.css tidemill/formats/html/style_sheet.h tidemill::html::style_sheet)
tidemill_module(formats/sqlite_pages HOT USES base store LINKS Threads::Threads)

tidemill_module(state/history USES base engine store files)
tidemill_module(state/journal USES base engine store files history LINKS fmt::fmt)
tidemill_module(state/run USES base engine files journal LINKS fmt::fmt)
tidemill_module(state/queue USES base redis text LINKS fmt::fmt)
tidemill_module(state/fleet USES base engine redis files text history journal LINKS OpenSSL::Crypto fmt::fmt)
tidemill_module(state/catalogue USES base store files LINKS Threads::Threads)

tidemill_module(ui/command ONE_THREAD USES base engine text files history
                LINKS $<BUILD_INTERFACE:CLI11::CLI11> tomlplusplus::tomlplusplus fmt::fmt)
tidemill_module(ui/term USES base engine files command text
                LINKS spdlog::spdlog fmt::fmt ${NCURSESW_LIBRARY} ${TINFO_LIBRARY})

tidemill_module(ui/cli USES base engine walk files text history journal run command term LINKS fmt::fmt)
tidemill_module(ui/pages USES base engine text html history journal run command cli LINKS fmt::fmt)
tidemill_module(ui/redis_flags USES base redis http text fleet command cli)

tidemill_module(jobs ROOMS tasks USES base engine walk history journal run command term cli)
tidemill_module(jobs/each USES base engine walk files proc hash text history journal run fleet command cli redis_flags
                jobs LINKS fmt::fmt)
tidemill_module(jobs/dupes WARM USES base engine walk files hash text history journal run catalogue command term cli jobs LINKS fmt::fmt)
tidemill_module(jobs/import HOT USES base engine store walk files hash text jsonl sqlite_pages history command term cli jobs)
tidemill_module(jobs/batch WARM USES base engine redis walk hash text tokens history journal run queue catalogue command cli jobs
                redis_flags)
tidemill_module(jobs/books USES base engine store walk files proc sandbox text xml pdf epub history command term cli jobs)
include(cmake/warm.cmake)
tidemill_module(jobs/docs USES base engine files hash http web text jsonl history journal run command cli jobs)
tidemill_token_tests(jobs_batch_test)  # it counts with the real tables

tidemill_module(app/program USES base files text command term cli jobs LINKS fmt::fmt)
tidemill_module(app/runs USES base engine files text run command term cli pages jobs app/program LINKS fmt::fmt)
tidemill_module(app ROOMS catalogue doctor fleet queue serve worker
                USES base engine redis files proc hash sandbox web text html history journal run queue fleet catalogue
                command term cli pages redis_flags jobs jobs/* app/program app/runs
                LINKS fmt::fmt)
tidemill_embed_text(app tidemill/app/serve/page_script.js tidemill/app/serve/page_script.h tidemill::app::page_script)
