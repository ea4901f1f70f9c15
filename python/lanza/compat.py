"""Programs written for PyCUDA: the packages of the distribution lanza-pycuda, put on the path where they are wanted."""

import sys


def path() -> str:
    """The folder that holds the packages `pycuda` and so on. Raises ModuleNotFoundError without lanza-pycuda."""
    try:
        import lanza_pycuda
    except ModuleNotFoundError as error:
        if error.name != "lanza_pycuda":
            raise
        message = "programs written for PyCUDA need the distribution lanza-pycuda: pip install lanza-pycuda"
        raise ModuleNotFoundError(message, name=error.name) from None
    return str(lanza_pycuda.site)


def enable() -> None:
    """Makes `import pycuda` find Lanza's in this process, before any other. Does nothing the second time."""
    site = path()
    loaded = sys.modules.get("pycuda")
    if loaded is not None and not str(getattr(loaded, "__file__", "")).startswith(site):
        raise ImportError(
            f"another pycuda is imported already ({loaded.__file__}); call lanza.compat.enable() before it"
        )
    if site not in sys.path:
        sys.path.insert(0, site)
