#!/usr/bin/env python3
# Runs until it is killed. The names it is given are of no interest.
import signal

signal.pause()
