"""The CUDA driver: its bindings on first need, its errors as exceptions, a device's context."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

_starting = threading.Lock()


@cache
def bindings() -> Any:
    """The module ``cuda.bindings.driver``, with the driver initialised.

    Raises
    ------
    ImportError
        If the package is not installed.
    RuntimeError
        If there is no driver.
    """
    try:
        driver = import_module("cuda.bindings.driver")
    except ImportError as error:
        raise ImportError(
            "polhode.cuda needs NVIDIA's driver bindings: pip install 'polhode[cuda]'"
        ) from error
    try:
        status = driver.cuInit(0)[0]
    except RuntimeError as error:  # the bindings found no libcuda
        raise RuntimeError(f"found no CUDA driver on this computer ({error})") from error
    if int(status):
        raise RuntimeError(f"found no CUDA device on this computer ({_text(driver, status)})")
    return driver


def call(name: str, *arguments: Any) -> Any:
    """The result of a function of the driver.

    Raises
    ------
    MemoryError
        If the device has not enough memory.
    RuntimeError
        If it failed in another way.
    """
    driver = bindings()
    status, *results = getattr(driver, name)(*arguments)
    if int(status):
        is_memory = int(status) == int(driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY)
        error = MemoryError if is_memory else RuntimeError
        raise error(f"{name} failed: {_text(driver, status)}")
    return results[0] if results else None


def is_available() -> bool:
    """Whether programs can run on a device of this computer."""
    try:
        return call("cuDeviceGetCount") > 0
    except (ImportError, RuntimeError):
        return False


@contextmanager
def context(device: int) -> Iterator[None]:
    """Work on a device, in the context that other libraries share; then return to the last."""
    call("cuCtxPushCurrent", _primary(device))
    try:
        yield
    finally:
        call("cuCtxPopCurrent")


def _primary(device: int) -> Any:
    with _starting:
        return _retained(device)


@cache
def _retained(device: int) -> Any:
    """A device's primary context: kept until the process ends."""
    n = call("cuDeviceGetCount")
    if not 0 <= device < n:
        raise ValueError(f"expected a device below {n}, got {device}")
    return call("cuDevicePrimaryCtxRetain", call("cuDeviceGet", device))


def _text(driver: Any, status: Any) -> str:
    words = driver.cuGetErrorString(status)[1]
    return words.decode() if isinstance(words, bytes) else str(status)


def stream_handle(stream: Any) -> int:
    """The handle of a stream: of a number, or of an object of another library.

    Raises
    ------
    TypeError
        If it is no stream.
    """
    if stream is None:
        return 0
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for attribute in ("cuda_stream", "ptr", "handle"):  # of PyTorch, CuPy, Numba
        if hasattr(stream, attribute):
            value = getattr(stream, attribute)
            return int(getattr(value, "value", value) or 0)
    try:
        return int(stream)
    except (TypeError, ValueError):
        raise TypeError(
            f"expected a CUDA stream or its handle, got {type(stream).__name__}"
        ) from None
