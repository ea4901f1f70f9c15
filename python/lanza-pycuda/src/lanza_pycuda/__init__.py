"""Where the packages for PyCUDA programs lie: `lanza run` and `lanza.compat.enable()` put it on the path."""

from pathlib import Path

__version__ = "0.1.0"

#: The folder that holds `pycuda`.
site = Path(__file__).parent / "site"
