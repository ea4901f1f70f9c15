"""The command `lanza`: `python -m lanza`."""

import sys

from ._lanza import _command_line


def _run(program: str, arguments: list[str], *, module: bool) -> None:
    from ._run import run

    run(program, arguments, module=module)


def main() -> int:
    """Runs the command with the process's arguments and returns its exit status."""
    return _command_line(sys.argv[1:], _run)


if __name__ == "__main__":
    sys.exit(main())
