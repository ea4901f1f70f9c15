"""`lanza run`: runs a Python program as `python` would, with the packages for PyCUDA programs first on its path."""

import contextlib
import os
import runpy
import sys
from collections.abc import Sequence

from . import compat


def run(program: str, arguments: Sequence[str], *, module: bool = False) -> None:
    """Runs a file, or a module (`-m`), as __main__. Its exceptions and its SystemExit pass through.

    Without lanza-pycuda the program runs too; only an `import pycuda` in it fails then, as it would without Lanza.
    """
    if not module and not os.path.exists(program):
        raise FileNotFoundError(f"lanza run: no such program: {program}")
    folder = os.getcwd() if module else os.path.dirname(os.path.abspath(program))
    sys.argv[:] = [program, *arguments]
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0:1] = [folder]  # what was there belongs to the command, not to the program
    with contextlib.suppress(ModuleNotFoundError):
        compat.enable()
    if module:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(program, run_name="__main__")
