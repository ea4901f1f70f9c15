"""Whether there are NVIDIA GPUs that Lanza can use. Neither function raises."""

from ._lanza import _cuda_device_count


def device_count() -> int:
    """Number of CUDA devices; 0 without a driver. `lanza doctor` says why."""
    return _cuda_device_count()


def is_available() -> bool:
    """Whether there is at least one CUDA device."""
    return _cuda_device_count() > 0
