#!/usr/bin/env python3
"""usage: peak FILE COMMAND...: runs it and writes the most memory it had, in MiB, to FILE."""
import os
import sys

process = os.spawnvp(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(process, 0)
with open(sys.argv[1], "w", encoding="ascii") as file:
    print(usage.ru_maxrss // 1024, file=file)
sys.exit(os.waitstatus_to_exitcode(status))
