"""``python -m rankrate`` runs the program."""

from __future__ import annotations

import os
import subprocess
import sys

from ._program import find_program
from .errors import ProgramNotFoundError


def main() -> None:
    """Run the program with the arguments of this process, in its place where the system allows it."""
    try:
        program = os.fspath(find_program())
    except ProgramNotFoundError as error:
        sys.exit(f"rankrate: {error}")
    if sys.platform == "win32":
        sys.exit(subprocess.run([program, *sys.argv[1:]], check=False).returncode)
    os.execv(program, [program, *sys.argv[1:]])


main()
