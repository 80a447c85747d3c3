#!/usr/bin/env python3
"""usage: fields KEY...: reads JSON, an object a line, and prints these members of each; without keys
only the names of all members. Fails when a line is no JSON object."""
import json
import sys

for line in sys.stdin.buffer:
    found = json.loads(line.decode("utf-8", "strict"))
    if not isinstance(found, dict):
        sys.exit("no object")
    if len(sys.argv) == 1:
        print(" ".join(found))
    else:
        print(" ".join(json.dumps(found.get(key)) for key in sys.argv[1:]))
