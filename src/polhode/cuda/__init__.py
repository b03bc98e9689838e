"""Programs on NVIDIA's devices: a thread for each state, arrays by DLPack.

>>> import polhode as ph
>>> from polhode.algorithms import inverse_dynamics
>>> arm = ph.load("arm.urdf")                       # doctest: +SKIP
>>> dynamics = ph.cuda.compile(inverse_dynamics, arm)  # doctest: +SKIP
>>> tau = dynamics(q, qd, qdd)                      # doctest: +SKIP
>>> torch.from_dlpack(tau), tau.numpy()             # doctest: +SKIP

Needs the driver's bindings (``pip install polhode[cuda]``) and a device.  May import `errors`,
`compiler` and `binding`.
"""

from .array import DeviceArray
from .driver import is_available
from .kernel import Kernel, compile

__all__ = ["DeviceArray", "Kernel", "compile", "is_available"]
