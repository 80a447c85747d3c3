# Tests of the source tree. They say the same in every build, so they carry the label `once`, which
# the sanitizer presets leave out.
function(tidemill_check name)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS once TIMEOUT 300)
endfunction()

tidemill_check(layers ${PYTHON3} tools/check_layers.py)
tidemill_check(no_sleep ${PYTHON3} tools/check_no_sleep.py)
tidemill_check(failures ${PYTHON3} tools/check_failures.py)
tidemill_check(contracts ${PYTHON3} tools/check_contracts.py)
tidemill_check(includes ${PYTHON3} tools/check_includes.py)
tidemill_check(links ${PYTHON3} tools/check_links.py)
tidemill_check(names ${PYTHON3} tools/check_names.py)
tidemill_check(voice ${PYTHON3} tools/check_voice.py)
tidemill_check(format tools/check_format.sh)
tidemill_check(planted tools/planted --check)
tidemill_check(tools ${PYTHON3} tools/test_tools.py)
