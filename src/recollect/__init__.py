"""Recollect: the memory of a coding agent."""

import sys

__version__ = "0.2.1"

if sys.platform == "win32":
    raise SystemExit("Recollect does not run on Windows. Use it inside WSL2, or on Linux or macOS.")
