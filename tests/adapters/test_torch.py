"""Programs as functions of PyTorch tensors, checked by PyTorch's own finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.machines import costs, inverse_dynamics, state
from polhode.adapters.derivatives import leaves

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the library's own making
    pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:FutureWarning"),  # as well
]


@pytest.fixture
def torch():
    """The library, or a skip."""
    return pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture
def function(torch):
    """Inverse dynamics on tensors."""
    from polhode.adapters import to_torch

    return to_torch(inverse_dynamics())


def tensors(torch, arrays):
    """Tensors that want gradients."""
    return tuple(torch.tensor(x, requires_grad=True) for x in arrays)


def test_values_are_the_programs(torch, function):
    """The same bits, in both precisions, with batch axes that broadcast."""
    q, qd, qdd = state(4)
    for dtype in (np.float64, np.float32):
        arrays = [q.astype(dtype), qd[0].astype(dtype), qdd[:1].astype(dtype)]
        got = function(*map(torch.from_numpy, arrays))
        np.testing.assert_array_equal(got.numpy(), inverse_dynamics()(*arrays))
        assert got.numpy().dtype == dtype


def test_gradients(torch, function):
    """Reverse and forward mode, with and without broadcasting."""
    q, qd, qdd = state(3)
    for arrays in ((q, qd, qdd), (q[0], qd, qdd[:1])):
        assert torch.autograd.gradcheck(function, tensors(torch, arrays), check_forward_ad=True)


def test_gradients_of_gradients(torch, function):
    """Backward is differentiable again."""
    arrays = [x[0] for x in state(2)]
    assert torch.autograd.gradgradcheck(function, tensors(torch, arrays))


def test_only_what_is_asked_for_has_a_gradient(torch, function):
    """An input without ``requires_grad`` gets none."""
    q, qd, qdd = (torch.from_numpy(x) for x in state(3))
    qd.requires_grad_()
    function(q, qd, qdd).sum().backward()
    assert q.grad is None and qdd.grad is None
    assert qd.grad.shape == qd.shape


def test_function_transforms(torch, function):
    """``jacrev``, ``jacfwd`` and ``vmap`` over any axis give the program's Jacobian."""
    q, qd, qdd = (torch.from_numpy(x) for x in state(3))
    expected = inverse_dynamics().jacobian("q")(q.numpy(), qd.numpy(), qdd.numpy())
    for way in (torch.func.jacrev, torch.func.jacfwd):
        got = torch.func.vmap(way(function), in_dims=(0, 0, 1))(q, qd, qdd.T.contiguous())
        np.testing.assert_allclose(got.numpy(), expected, rtol=0, atol=1e-12)
    mapped = torch.func.vmap(function, in_dims=(0, None, None))(q, qd[0], qdd)
    np.testing.assert_array_equal(mapped[1, 2].numpy(), function(q[1], qd[0], qdd[2]).numpy())


def test_outputs_by_name(torch):
    """A dict stays a dict, and each of its outputs has a gradient."""
    from polhode.adapters import to_torch

    q, qd, tau = state()
    weight = np.array(0.5)
    function = to_torch(costs())
    got, expected = function(q, qd, tau, weight), costs()(q, qd, tau, weight)
    assert list(got) == ["cost", "detail"] and list(got["detail"]) == ["qdd", "height"]
    for x, y in zip(leaves(got), leaves(expected), strict=True):
        np.testing.assert_array_equal(x.numpy(), y)
    wanted = tensors(torch, (q, qd, tau, weight))
    assert torch.autograd.gradcheck(lambda *x: function(*x)["cost"], wanted)


def test_the_number_of_arguments_is_checked(torch, function):
    """The inputs are named."""
    with pytest.raises(TypeError, match="expected q, qd, qdd, got 1"):
        function(torch.zeros(3))
