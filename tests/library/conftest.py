"""Traces by hand are importable from all tests of the room."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "comparison"))
