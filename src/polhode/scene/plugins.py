"""Python callables that take the place of a part of the simulator, or act in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, shown, suggestion
from ..model.checks import known, name, records

if TYPE_CHECKING:
    from .scene import Scene

KINDS = ("collision", "controller", "forces", "contact-filter")


@dataclass(frozen=True)
class Plugin:
    """A Python callable that takes the place of a part of the simulator, or acts in it.

    Attributes
    ----------
    name : str
    kind : str
        - ``"collision"`` finds contacts: ``function(a, b, margin)`` of two
          `polhode.simulation.stepping.PlacedGeometry`.  It returns rows ``(point, normal, gap)``
          with the unit normal from b to a.  If a contact has a feature, its number is a fourth
          entry.  None leaves the pair to the shapes.  Contacts farther than ``margin`` are not
          needed.
        - ``"controller"`` is ``function(t, state) -> tau`` of a model.
        - ``"forces"`` is ``function(t, simulator) -> {(machine, link): wrench}``.
        - ``"contact-filter"`` is ``function(t, contacts) -> mask``.
    function : callable
    of : tuple of str
        Of ``collision``, the geometries whose contacts it finds: each pair has one from these (all
        pairs if empty).  Of a ``controller``, its models (the one of the plug-in's name if empty).
    """

    name: str
    kind: str
    function: Callable[..., Any] = field(repr=False)
    of: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        where = f"plug-in '{name(self.name, 'plug-in')}'"
        known(self.kind, KINDS, "kind of plug-in", where)
        if not callable(self.function):
            raise ModelError(f"expected a callable, got {shown(self.function)} ({where})")
        names = records(self.of, str, "of", where)
        if self.kind == "controller" and not names:
            names = (self.name,)
        object.__setattr__(self, "of", names)


def check_plugins(scene: Scene) -> None:
    """Refuse plug-ins for models and geometries that are not there."""
    machines = [machine.name for machine in scene.machines]
    geometries = [geometry.name for geometry in scene.geometries]
    for plugin in scene.plugins:
        where = f"plug-in '{plugin.name}', scene '{scene.name}'"
        for each in plugin.of:
            if plugin.kind == "controller":
                known(each, machines, "model", where)
            elif plugin.kind == "collision":
                known(each, geometries, "geometry", where)


def with_functions(
    scene: Scene, functions: Mapping[str, Callable[..., Any]], taken: Collection[str] = ()
) -> Scene:
    """The scene with functions as controllers, under the names of models.

    ``forces`` and ``contact-filter`` name plug-ins of these kinds; what is ``taken`` has
    another meaning already.

    Raises
    ------
    ModelError
        For a name that stands for nothing.
    """
    machines = [machine.name for machine in scene.machines]
    more = []
    for each, function in functions.items():
        if each in taken:
            continue
        if each in machines:
            more.append(Plugin(each, "controller", function))
        elif each in ("forces", "contact-filter"):
            more.append(Plugin(each, each, function))
        else:
            names = [*taken, *machines, "forces", "contact-filter"]
            raise ModelError(
                f"nothing takes the plug-in '{each}'{suggestion(each, names)}; expected the id of "
                "a CollisionDetectionPlugin, a model (for its controller), 'forces' or "
                f"'contact-filter' (scene '{scene.name}')"
            )
    return replace(scene, plugins=(*scene.plugins, *more)) if more else scene
