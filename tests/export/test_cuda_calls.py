"""`polhode.cuda` without a device: a driver of Python runs the kernels' text and checks memory."""

from __future__ import annotations

import gc
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import polhode as ph
from compiler.examples import branches, pendulum, program, same_bits, states
from export.device import OTHER_STREAM, Driver, Foreign, OnlyInterface
from models import example
from polhode import algorithms, cuda
from polhode.cuda import driver as own
from polhode.cuda.dlpack import ArrayView, capsule, row_major, view


@pytest.fixture
def device(monkeypatch):
    """A driver in the place of NVIDIA's, for this test only."""
    made = Driver()
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", made)
    own.bindings.cache_clear()
    own._retained.cache_clear()
    Foreign.memory.clear()
    yield made
    gc.collect()
    own.bindings.cache_clear()
    own._retained.cache_clear()


def swing(**options):
    """The pendulum's program, and its kernel in blocks of four threads."""
    made = program(pendulum, "pendulum", q=(3,), qd=(3,), length=())
    return made, cuda.compile(made, block=4, **options)


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_arrays_of_the_host(device, dtype, layout):
    """NumPy arrays are copied, broadcast and computed; everything is freed."""
    made, kernel = swing(layout=layout)
    before = device.left
    q, qd, length = states(5, 3, dtype=dtype), states(3, seed=1, dtype=dtype), np.float32(0.5)
    result = kernel(q, qd, length.astype(dtype))
    assert isinstance(result, cuda.DeviceArray) and result.dtype == dtype
    assert result.strides == ((3, 1) if layout == "rows" else (1, 5))
    assert same_bits(made(q, qd, length.astype(dtype)), result.numpy())
    assert same_bits(result.numpy(), np.asarray(result))
    assert device.calls.count(("cuLaunchKernel", 0, 2, 4)) == 1
    del result
    assert device.left == before and not device.depth


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_batch_axes(device, layout):
    """Axes that broadcast crosswise take several launches, others one."""
    made, kernel = swing(layout=layout)
    q, qd, length = states(4, 1, 3), states(2, 3, seed=1), states(2, 4, 2, seed=2)
    assert same_bits(made(q, qd, length), kernel(q, qd, length).numpy())
    launches = device.names().count("cuLaunchKernel")
    whole = np.broadcast_to(q, (2, 4, 2, 3)).copy()
    assert same_bits(
        made(whole, whole, length), kernel(whole, whole, length).numpy()
    )  # one axis of 16
    assert device.names().count("cuLaunchKernel") == launches + 1
    assert launches == 4
    assert kernel(np.zeros((0, 3)), np.zeros(3), 1.0).shape == (0, 3)
    assert kernel(np.zeros(3), np.zeros(3), 1.0).numpy().shape == (3,)


def test_arrays_of_other_libraries(device):
    """By DLPack and by the array interface, with any strides; inputs are not copied."""
    made, kernel = swing()
    q, qd, length = states(10, 3)[::2], np.asfortranarray(states(5, 3, seed=1)), states(5, seed=2)
    foreign = Foreign(q)
    result = kernel(foreign, OnlyInterface(qd), length, stream=OTHER_STREAM)
    assert same_bits(made(q, qd, length), result.numpy())
    assert foreign.streams == [OTHER_STREAM]
    again = kernel(result, Foreign(qd), Foreign(length))
    assert same_bits(made(made(q, qd, length), qd, length), again.numpy())
    assert not device.depth


def test_streams(device):
    """Whoever takes a result on another stream waits for ours."""
    _, kernel = swing()
    stream = SimpleNamespace(__cuda_stream__=lambda: (0, 5))
    result = kernel(*(Foreign(states(2, *s)) for s in ((3,), (3,), ())), stream=stream)
    assert ("cuLaunchKernel", 5, 1, 4) in device.calls
    result.__dlpack__(stream=5)
    result.__dlpack__(stream=-1)
    assert "cuEventRecord" not in device.names()
    result.__dlpack__(stream=OTHER_STREAM)
    assert ("cuEventRecord", "cuEventCreate made this", 5) in device.calls
    assert ("cuStreamWaitEvent", OTHER_STREAM, "cuEventCreate made this", 0) in device.calls
    for words in ("cuda_stream", "ptr", "handle"):
        assert own.stream_handle(SimpleNamespace(**{words: 9})) == 9
    with pytest.raises(TypeError, match="a CUDA stream or its handle, got str"):
        kernel(1, 2, 3, stream="main")


def test_outputs(device):
    """Several outputs; into arrays of the caller, which may be an input."""
    made = program(branches, "branches", x=(3,))
    kernel = cuda.compile(made)
    x = states(4, 3)
    for ours, its in zip(made(x), kernel(x), strict=True):
        assert same_bits(np.ascontiguousarray(ours), its.numpy())
    matrix, chosen = np.zeros((4, 3, 3)), np.zeros(4)
    out = Foreign(matrix), Foreign(chosen)
    assert kernel(Foreign(x), out=out) is out
    assert same_bits(made(x)[0], matrix) and same_bits(made(x)[1], chosen)
    twice = program(lambda x: [2.0 * v for v in x], "twice", x=(3,))
    place, before = Foreign(x), x.copy()
    assert cuda.compile(twice)(place, out=place) is place
    assert same_bits(x, 2 * before)


def test_algorithms(device):
    """A machine's dynamics; the module is loaded once for each number type."""
    arm = example("arm.urdf")
    kernel = ph.cuda.compile(algorithms.inverse_dynamics, arm, block=2)
    rng = np.random.default_rng(2)
    x = [rng.standard_normal((2, arm.nv)) for _ in range(3)]
    for _ in range(2):
        assert same_bits(ph.inverse_dynamics(arm, *x), kernel(*x).numpy())
    single = [a.astype(np.float32) for a in x]
    assert same_bits(ph.inverse_dynamics(arm, *single), kernel(*single).numpy())
    assert device.names().count("cuModuleLoadData") == 2
    assert ".entry inverse_dynamics(" in kernel.ptx() and "inverse_dynamics" in repr(kernel)


def test_outputs_by_name(device):
    """A function's dict of results is one of the device's arrays."""
    arm = example("arm.urdf")
    named = ph.compile(lambda model, q: {"half": [x[0] * 0.5 for x in q.values()], "one": 1.0}, arm)
    kernel, q = ph.cuda.compile(named), np.arange(arm.nq) * 1.0
    found = kernel(q)
    assert sorted(found) == ["half", "one"]
    assert same_bits(found["half"].numpy(), q / 2) and found["one"].numpy() == 1.0


def test_refusals(device):
    """Shapes, types, places and layouts that do not fit."""
    _, kernel = swing()
    q, qd, length = states(2, 3), states(2, 3), states(2)
    with pytest.raises(TypeError, match=r"3 arrays \(q, qd, length\), got 2"):
        kernel(q, qd)
    with pytest.raises(ph.ShapeError, match=r"qd of shape \(..., 3\), got \(2, 4\)"):
        kernel(q, states(2, 4), length)
    with pytest.raises(ph.ShapeError, match=r"q of shape \(..., 3\), got \(2, 2\)"):
        kernel(Foreign(states(2, 2)), qd, length)
    with pytest.raises(ph.ShapeError, match=r"broadcast, got q \(2, 3\), qd \(5, 3\)"):
        kernel(q, states(5, 3), length)
    with pytest.raises(TypeError, match="q of float64 like the others, got float32"):
        kernel(Foreign(states(2, 3, dtype=np.float32)), Foreign(qd), length)
    with pytest.raises(TypeError, match="q of float64 like the others, got int64"):
        kernel(Foreign(np.ones((2, 3), np.int64)), qd, length)
    with pytest.raises(TypeError, match="q on device 0, got device 1"):
        kernel(Foreign(q, device=1), qd, length)
    with pytest.raises(TypeError, match="out in the device's memory"):
        kernel(q, qd, length, out=np.zeros((2, 3)))
    with pytest.raises(ph.ShapeError, match=r"out of shape \(2, 3\), got \(3, 3\)"):
        kernel(q, qd, length, out=Foreign(np.zeros((3, 3))))
    with pytest.raises(TypeError, match="1 arrays in out, got 2"):
        kernel(q, qd, length, out=(Foreign(q), Foreign(q)))
    with pytest.raises(TypeError, match="offers DLPack, got object"):
        kernel(object(), qd, length)
    with pytest.raises(ValueError, match="'rows' or 'columns', got 'tiles'"):
        swing(layout="tiles")
    with pytest.raises(ValueError, match="1 to 1024 threads in a block, got 0"):
        cuda.compile(kernel.program, block=0)
    with pytest.raises(TypeError, match="no model"):
        cuda.compile(kernel.program, example("arm.urdf"))
    with pytest.raises(ValueError, match="a device below 1, got 3"):
        cuda.compile(kernel.program, device=3)(q, qd, length)
    cube = program(lambda x: x[0][0] + x[1][1], "cube", x=(2, 2))
    with pytest.raises(ValueError, match="entries of x evenly spaced"):
        cuda.compile(cube)(Foreign(states(3, 2, 3)[:, :, :2]))


def test_failures_of_the_driver(device):
    """Its words are in the message; what was made is freed."""
    _, kernel = swing()
    device.left = 100
    with pytest.raises(MemoryError, match="cuMemAlloc failed: out of memory"):
        kernel(states(50, 3), states(3), 1.0)
    gc.collect()
    assert device.left == 100 and not device.depth
    device.cuMemAlloc = lambda size: (1, None)
    with pytest.raises(RuntimeError, match="cuMemAlloc failed: something else"):
        kernel(states(3), states(3), 1.0)
    device.cuInit = lambda flags: (100,)
    own.bindings.cache_clear()
    assert not cuda.is_available()
    with pytest.raises(RuntimeError, match="no CUDA device on this computer"):
        kernel(states(3), states(3), 1.0)


def test_without_the_bindings(device, monkeypatch):
    """What to install is said when a kernel is called, not when it is made."""
    _, kernel = swing()
    assert cuda.is_available()
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
    own.bindings.cache_clear()
    assert not cuda.is_available()
    with pytest.raises(ImportError, match=r"pip install 'polhode\[cuda\]'"):
        kernel(states(3), states(3), 1.0)


def test_capsules():
    """What NumPy lends we read, and what we lend NumPy reads; both give the memory back."""
    x = np.arange(24.0).reshape(4, 6)[:, ::2]
    lent = view(x, None)
    assert (lent.address, lent.shape, lent.dtype) == (x.ctypes.data, x.shape, x.dtype)
    assert lent.strides == (6, 2) and not lent.on_device

    class Lender:
        def __dlpack__(self, **_):
            return capsule(ArrayView(x.ctypes.data, (4, 3), (6, 2), x.dtype, False, 0, self))

        def __dlpack_device__(self):
            return 1, 0

    lender = Lender()
    before = sys.getrefcount(lender)
    taken = np.from_dlpack(lender)
    assert same_bits(x, taken) and sys.getrefcount(lender) > before
    del taken
    capsule_of_nobody = lender.__dlpack__()
    del capsule_of_nobody
    assert sys.getrefcount(lender) == before
    with pytest.raises(TypeError, match="DLPack type 5 of 128 bits"):
        view(np.zeros(2, complex), None)


def test_row_major():
    """Strides of NumPy's own arrays, in numbers."""
    for shape in ((), (3,), (2, 3, 4)):
        assert tuple(s // 8 for s in np.zeros(shape).strides) == row_major(shape)
