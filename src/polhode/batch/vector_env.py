"""Vector environments: many worlds with contact that a policy acts on, in Gymnasium's protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..api.manifold import integrate
from ..arguments import as_count, as_generator, as_mapping, as_number, check_called_with
from ..arrays import as_array
from ..errors import ArgumentError, ShapeError, shown, suggestion, suggests_options
from ..model import Model
from ..once import cached_property
from ..scene import Scene
from ..simulation.joint_limits import JointLimits
from ..simulation.start import unit
from .env_worlds import EnvWorlds

if TYPE_CHECKING:
    Protocol = object
    METADATA: dict[str, Any] = {}
else:
    try:
        from gymnasium.vector import AutoresetMode
        from gymnasium.vector import VectorEnv as Protocol

        METADATA = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}
    except ImportError:  # all but the spaces works without it
        Protocol, METADATA = object, {"render_modes": []}

ARGUMENTS: dict[str, tuple[str, ...]] = {
    "observe": ("q", "qd"), "reward": ("q0", "qd0", "controls", "q1", "qd1"),
    "done": ("q", "qd"), "reset": ("rng", "count"),
}  # fmt: skip
"""With which the functions of an environment are called."""

Parameters = Callable[[np.random.Generator, int], Mapping[str, Any]]
"""Parameters of so many worlds that start."""

Start = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
"""Takes a generator and a number of worlds; returns ``q`` and ``qd`` of their starts."""


class VectorEnv(Protocol):
    """Many worlds of a scene that a policy acts on, in Gymnasium's protocol.

    Parameters
    ----------
    scene : Scene or Model
        What each world is; its actuators take the actions.
    n : int
        Number of worlds.
    observe : callable
        ``observe(q, qd)`` returns the observations, shape (n, ...).
    reward : callable
        ``reward(q0, qd0, controls, q1, qd1)`` returns the rewards of an action, shape (n,), from
        the states before and after it.
    done : callable, optional
        ``done(q, qd)`` returns which worlds are at an end, shape (n,).
    dt : float, optional
        Time step [s]; the scene's, or 1 ms.
    steps_per_action : int
        Time steps for which each action is held.
    reset_noise : float
        Greatest change of each position and velocity of the scene's start.
    reset : callable, optional
        ``reset(rng, count)`` returns ``q`` and ``qd`` of starts, shapes (count, nq) and
        (count, nv), instead.
    seed : int, optional
        Of the starts; the same seed and actions give the same bits.
    max_steps : int, optional
        Actions after which a world is truncated.
    parameters : mapping of str to array_like, or callable, optional
        What differs from world to world, as `polhode.rollout` has it.  A function
        ``parameters(rng, count)`` gives it anew for each world that starts.

    Attributes
    ----------
    num_envs : int
    scene : Scene
    period : float
        Time between actions [s].

    Raises
    ------
    ModelError
        If the scene has no actuators, or what ``ph.rollout`` with ``integrator="moreau"`` lacks.
    ArgumentError
        For what is no number or no function.

    Notes
    -----
    The functions get all worlds at once: a program of `polhode.compile`, or one of arrays.

    A world that has terminated, or is truncated, starts anew in the next step: that step's
    action is ignored and its reward is zero (``AutoresetMode.NEXT_STEP``).  A world whose motion
    does not stay finite terminates with a reward of zero in its last finite state;
    ``infos["failed"]`` marks it.  Starts beyond limits of joints are moved to them.

    Spaces need Gymnasium; the rest works without it.

    Examples
    --------
    >>> import numpy as np
    >>> import polhode as ph
    >>> from polhode.model import Prismatic
    >>> cart = ph.Model("cart").add("cart", joint=Prismatic.x(), mass=1.0)
    >>> cart = cart.add_motor("motor", joint="cart", gear=5.0, control_range=(-1, 1))
    >>> env = ph.environments.VectorEnv(
    ...     cart, 4, steps_per_action=10,
    ...     observe=lambda q, qd: np.concatenate([q, qd], axis=1),
    ...     reward=lambda q0, qd0, controls, q1, qd1: q1[:, 0] - q0[:, 0],
    ... )
    >>> observations, infos = env.reset(seed=0)
    >>> observations, rewards, terminated, truncated, infos = env.step(np.ones((4, 1)))
    >>> observations.shape, rewards > 0.0
    ((4, 2), array([ True,  True,  True,  True]))
    """

    metadata: dict[str, Any] = METADATA

    @suggests_options
    def __init__(
        self,
        scene: Scene | Model,
        n: int,
        *,
        observe: Callable[[np.ndarray, np.ndarray], Any],
        reward: Callable[..., Any],
        done: Callable[[np.ndarray, np.ndarray], Any] | None = None,
        dt: float | None = None,
        steps_per_action: int = 1,
        reset_noise: float = 0.0,
        reset: Start | None = None,
        seed: int | None = None,
        max_steps: int | None = None,
        parameters: Mapping[str, Any] | Parameters | None = None,
    ):
        given = {"observe": observe, "reward": reward, "done": done, "reset": reset}
        for name, function in given.items():
            if function is not None:
                check_called_with(name, function, ARGUMENTS[name])
        self.num_envs: int = as_count("n", n, least=1)
        self.scene: Scene = Scene.of(scene) if isinstance(scene, Model) else scene
        steps = as_count("steps_per_action", steps_per_action, least=1)
        self.np_random: np.random.Generator = as_generator("seed", seed)
        self._draw: Parameters | None = None
        if callable(parameters):
            self._draw = parameters
            parameters = parameters(self.np_random, self.num_envs)
        self._worlds = EnvWorlds(self.scene, self.num_envs, dt, steps, parameters)
        self.period: float = self._worlds.dt * steps
        self._observe, self._reward = observe, reward
        self._done = done or (lambda q, qd: np.zeros(len(q), bool))
        noise = as_number("reset_noise", reset_noise, least=0.0)
        if reset is not None and noise:
            raise TypeError("expected reset or reset_noise, got both")
        self._reset = reset or _near_the_start(self.scene, noise)
        self._most = None if max_steps is None else as_count("max_steps", max_steps, least=1)
        self._count = np.zeros(self.num_envs, np.int64)
        self._is_over = np.zeros(self.num_envs, bool)
        self._size: tuple[int, ...] = self.reset()[0].shape[1:]

    @property
    def q(self) -> np.ndarray:
        """Positions of the worlds, shape (n, nq); a copy."""
        return self._worlds.state["q"].copy()

    @property
    def qd(self) -> np.ndarray:
        """Velocities of the worlds, shape (n, nv); a copy."""
        return self._worlds.state["qd"].copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start all worlds anew, or those of a mask.

        Parameters
        ----------
        seed : int, optional
            Of these and all later starts.
        options : dict, optional
            ``{"reset_mask": mask}`` names the worlds, shape (n,).

        Returns
        -------
        observations : ndarray, shape (n, ...)
        infos : dict

        Raises
        ------
        ShapeError
            If the mask, or what ``reset`` or ``observe`` of the environment returns, does not fit.
        ArgumentError
            If the seed is none, or an option is not known.
        """
        given = as_mapping("options", {} if options is None else options)
        for name in given:
            if name != "reset_mask":
                hint = suggestion(name, ["reset_mask"]) if isinstance(name, str) else ""
                raise ArgumentError(f"expected no option but reset_mask, got {shown(name)}{hint}")
        if seed is not None:
            self.np_random = as_generator("seed", seed)
        mask = np.asarray(given.get("reset_mask", np.ones(self.num_envs, bool)))
        if mask.shape != (self.num_envs,) or mask.dtype != bool:
            raise ShapeError(
                f"expected reset_mask of {self.num_envs} booleans, got shape {mask.shape} of "
                f"{mask.dtype} (scene '{self.scene.name}')"
            )
        self._restart(mask)
        return self._observed(), {}

    def step(
        self, actions: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Hold the actions for the time of a step; start worlds anew that were at an end.

        Parameters
        ----------
        actions : array_like, shape (n, n_controls)
            Controls of the actuators, which keep them within their ranges.

        Returns
        -------
        observations : ndarray, shape (n, ...)
        rewards : ndarray, shape (n,)
        terminated, truncated : ndarray of bool, shape (n,)
        infos : dict
            If there are some: ``"failed"`` marks worlds whose motion did not stay finite,
            ``"unsolved"`` counts steps whose impulses miss the tolerance of the laws.  Steps to
            states that are not finite are among them.

        Raises
        ------
        ShapeError
            If the actions do not fit, or what the environment's functions return.
        ArgumentError
            If ``done`` returns other numbers than 0 and 1.
        """
        controls = self._checked(actions)
        again, q0, qd0 = self._is_over, self.q, self.qd
        unsolved = np.where(again, 0, self._worlds.advance(controls))
        failed = ~self._worlds.is_finite() & ~again
        self._worlds.put(failed, q0[failed], qd0[failed])
        self._count += 1
        self._restart(again)
        q, qd = self.q, self.qd
        rewards = self._returned("reward", self._reward(q0, qd0, controls, q, qd))
        rewards[again | failed] = 0.0
        terminated = (self._ended(q, qd) | failed) & ~again
        truncated = np.zeros(self.num_envs, bool)
        if self._most is not None:
            truncated = self._count >= self._most
        self._is_over = terminated | truncated
        return self._observed(), rewards, terminated, truncated, _infos(failed, unsolved)

    def close(self, **kwargs: Any) -> None:
        """Say that it is not used any more; nothing is held that has to be closed.

        Parameters
        ----------
        **kwargs
            Of the protocol; not used.
        """
        self.closed = True

    @cached_property
    def single_observation_space(self) -> Any:
        """Of one world: a ``Box`` without bounds."""
        return _spaces().Box(-np.inf, np.inf, self._size, np.float64)

    @cached_property
    def single_action_space(self) -> Any:
        """Of one world: a ``Box`` with the actuators' ranges."""
        ranges = [each for a in self.scene.model.actuators for each in a.control_range]
        low, high = np.array(ranges, np.float32).T
        return _spaces().Box(low, high, dtype=np.float32)

    @cached_property
    def observation_space(self) -> Any:
        """Of all worlds."""
        return _batch(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> Any:
        """Of all worlds."""
        return _batch(self.single_action_space, self.num_envs)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{self!r} cannot be copied or pickled: make another with the same arguments; give a "
            "function that makes it to other processes"
        )

    def __repr__(self) -> str:
        return (
            f"VectorEnv('{self.scene.name}', {self.num_envs} worlds, {self.period:.4g} s an action)"
        )

    def _observed(self) -> np.ndarray:
        seen = self._numbers("observe", self._observe(self.q, self.qd))
        if seen.shape[:1] != (self.num_envs,):
            self._refuse("observe", f"({self.num_envs}, ...)", seen)
        return seen

    def _returned(self, name: str, value: Any) -> np.ndarray:
        """What a function returns of each world: one number."""
        array = self._numbers(name, value)
        if array.shape != (self.num_envs,):
            self._refuse(name, f"({self.num_envs},)", array)
        return array

    def _ended(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Which worlds are at an end; programs say so with 0 and 1."""
        found = self._returned("done", self._done(q, qd))
        others = found[(found != 0.0) & (found != 1.0)]
        if others.size:
            raise ArgumentError(
                f"expected done to return booleans, or 0 and 1, got {others[0]:g} (scene "
                f"'{self.scene.name}')"
            )
        return found != 0.0

    def _numbers(self, name: str, value: Any) -> np.ndarray:
        return np.array(as_array(f"the result of {name}", value, f" (scene '{self.scene.name}')"))

    def _refuse(self, name: str, wanted: str, array: np.ndarray) -> NoReturn:
        raise ShapeError(
            f"expected {name} to return shape {wanted}, one row for each world, got {array.shape} "
            f"(scene '{self.scene.name}')"
        )

    def _restart(self, mask: np.ndarray) -> None:
        """Start worlds anew."""
        if not mask.any():
            return
        count = int(mask.sum())
        self._worlds.put(mask, *self._started(count))
        if self._draw is not None:
            self._worlds.set_parameters(mask, self._draw(self.np_random, count))
        self._count[mask] = 0
        self._is_over = self._is_over & ~mask

    def _started(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Starts with unit quaternions and within the limits of the joints."""
        model, where = self.scene.model, f" (scene '{self.scene.name}')"
        start = self._reset(self.np_random, count)
        if not isinstance(start, (tuple, list)) or len(start) != 2:
            raise ShapeError(
                f"expected reset to return a pair of q and qd, got {shown(start)}{where}"
            )
        q, qd = (
            as_array(f"the {name} that reset returns", x, where, shape=(count, size), finite=True)
            for name, x, size in zip(("q", "qd"), start, (model.nq, model.nv), strict=True)
        )
        q, limits = np.array(unit(model, q, "q")), JointLimits(model)
        q[:, limits.place] = np.clip(q[:, limits.place], limits.lower, limits.upper)
        return q, qd

    def _checked(self, actions: Any) -> np.ndarray:
        shape = self.num_envs, self.scene.n_controls
        return np.array(as_array("actions", actions, f" (scene '{self.scene.name}')", shape=shape))


def _infos(failed: np.ndarray, unsolved: np.ndarray) -> dict[str, Any]:
    """What is to be told of worlds, each with the mask that Gymnasium has beside it."""
    infos = {}
    if failed.any():
        infos |= {"failed": failed, "_failed": failed.copy()}
    if unsolved.any():
        infos |= {"unsolved": unsolved, "_unsolved": unsolved > 0}
    return infos


def _near_the_start(scene: Scene, noise: float) -> Start:
    """Starts about the scene's own, uniformly distributed."""
    model = scene.model

    def start(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        away = rng.uniform(-noise, noise, (2, count, model.nv))
        q0 = np.tile(scene.q0, (count, 1))
        return integrate(model, q0, away[0]), np.array(scene.qd0) + away[1]

    return start


def _spaces() -> Any:
    """The spaces of Gymnasium, or an error that says how to get it."""
    try:
        from gymnasium import spaces  # type: ignore[import-not-found]
    except ImportError:
        raise ImportError(
            "spaces need gymnasium, which is not installed: pip install 'polhode[gymnasium]'"
        ) from None
    return spaces


def _batch(space: Any, n: int) -> Any:
    from gymnasium.vector.utils import batch_space  # type: ignore[import-not-found]

    return batch_space(space, n)
