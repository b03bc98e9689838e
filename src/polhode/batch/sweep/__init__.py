"""Many runs of one function: on the processors here, or on any executor.

`sweep` hands tasks to workers in batches and keeps what comes back; parts:

- ``parameters``: what differs from task to task (`grid`, `sample`);
- ``functions``, ``fingerprint``: what is called, how it travels, and whether it is the same;
- ``work``: what a worker does, and nothing that runs elsewhere;
- ``executors``, ``driver``, ``batches``: who works, and what is handed out next;
- ``values``, ``store``, ``result``: what came back, in memory and on disk;
- ``runs``: scenes and models as functions.

May import `errors`, `once`, `files`, `arguments`, `model`, `compiler` (for its threads), `scene`,
`recording` and `simulation`.
"""

from .errors import SweepError, TaskError
from .front import sweep
from .parameters import Parameters, grid, sample
from .result import SweepResult

__all__ = ["Parameters", "SweepError", "SweepResult", "TaskError", "grid", "sample", "sweep"]
