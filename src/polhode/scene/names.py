"""Names in a scene: of geometries, bodies and models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..errors import ModelError, shown, suggestion
from .contact import Key
from .geometry import Geometry
from .machine import Machine


class Names:
    """The names of a scene's things.

    A body is called by its link's name, or by ``machine/link`` where models have links of the same
    name.
    """

    def __init__(self, machines: Sequence[Machine], geometries: Sequence[Geometry], scene: str):
        self.scene = scene
        self.keys: dict[str, list[Key]] = {}
        self.by_body: dict[Key, list[int]] = {}
        self._single = {m.name for m in machines if m.link_names == (m.name,)}
        for machine in machines:
            self._add(machine.name, ("machine", machine.name))
            for link in machine.link_names:
                self._add(link, ("body", machine.name, link))
                self._add(f"{machine.name}/{link}", ("body", machine.name, link))
        for index, geometry in enumerate(geometries):
            self._add(geometry.name, ("geometry", geometry.name))
            body = ("body", geometry.machine, geometry.body)
            self.by_body.setdefault(body, []).append(index)
        self._index = {geometry.name: k for k, geometry in enumerate(geometries)}

    def _add(self, name: str, key: Key) -> None:
        self.keys.setdefault(name, []).append(key)

    def find(self, name: str, where: str) -> list[Key]:
        """All that a name means.

        Raises
        ------
        ModelError
            If it means nothing, or bodies of several models.
        """
        if not isinstance(name, str):
            raise ModelError(f"{where}: expected a name of a geometry, body or model, got "
                             f"{shown(name)}")  # fmt: skip
        found = self.keys.get(name)
        if found is None:
            hint = suggestion(name, self.keys)
            raise ModelError(
                f"{where}: no geometry, body or model '{name}' in scene '{self.scene}'{hint}"
            )
        bodies = [key for key in found if key[0] == "body"]
        if len(bodies) > 1:
            choice = " or ".join(f"'{machine}/{link}'" for _, machine, link in bodies[:3])
            raise ModelError(
                f"{where}: several models of scene '{self.scene}' have a body '{name}'; "
                f"say {choice}"
            )
        return found

    def bodies(self, names: Iterable[str], where: str) -> Iterator[Key]:
        """The bodies that names of bodies or models mean."""
        for name in names:
            for key in self.find(name, where):
                if key[0] == "machine":
                    yield from (k for k in self._body_keys() if k[1] == key[1])
                elif key[0] == "body":
                    yield key

    def _body_keys(self) -> Iterator[Key]:
        seen: dict[Key, None] = {}
        for found in self.keys.values():
            seen.update((key, None) for key in found if key[0] == "body")
        yield from seen

    def geometries(self, name: str, where: str) -> list[int]:
        """The geometries, by index, that a name of any kind means."""
        found: dict[int, None] = {}
        for key in self.find(name, where):
            if key[0] == "geometry":
                found[self._index[key[1]]] = None
            elif key[0] == "body":
                found.update((k, None) for k in self.by_body.get(key, ()))
            else:
                for body, indices in self.by_body.items():
                    if body[1] == key[1]:
                        found.update((k, None) for k in indices)
        return sorted(found)

    def sides(self, geometry: Geometry) -> tuple[Key, Key, Key | None]:
        """A geometry, its body, and its model if that is more than the body."""
        single = geometry.machine in self._single
        machine = None if single else ("machine", geometry.machine)
        return ("geometry", geometry.name), ("body", geometry.machine, geometry.body), machine
