"""PyCUDA's interface on Lanza (distribution lanza-pycuda)."""

#: The version of PyCUDA whose interface this is.
VERSION = (2026, 1)
VERSION_STATUS = ""
VERSION_TEXT = ".".join(str(part) for part in VERSION) + VERSION_STATUS
