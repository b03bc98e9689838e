"""What is made once in a process, however many threads ask for it at the same time.

Compiled code is called by bare addresses, and kept by whoever has made it.  If two threads made the
same thing, one of the two would be dropped while its addresses are still in use.  So compiled code,
and every object that keeps it, is made under one lock, `making`.  It is put into a store by `kept`
or `once`, where nothing is ever replaced:

- One lock for all has no order in which locks must be taken.  It is re-entrant: a function that
  is traced may call others that must be compiled first, and so may an object's finalizer.
- Whoever holds it waits for nothing but the interpreter, imports, and the locks of
  `held_over_fork`.  Names of `polhode` are imported under it: in threads of their own, imports of
  packages that need each other's modules could wait for each other.
- Readers of a store take no lock.
- A fork waits until nothing is being made, and nothing of `_PACKAGES` imported.  So a child finds
  no half-made program, and no lock of a thread that it does not have.

``functools.cache`` is for values alone: of two equal ones it does not matter which is dropped.
"""

from __future__ import annotations

import functools
import importlib
import os
import threading
from collections.abc import Callable, MutableMapping
from contextlib import AbstractContextManager, ExitStack, suppress
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from .interrupts import uninterrupted

making: threading.RLock = threading.RLock()
_PACKAGES = ("polhode", "numpy", "scipy", "llvmlite", "h5py")
_PATIENCE = 100  # imports that began while others were waited for
_over_fork: list[AbstractContextManager[Any]] = [making]
_held = ExitStack()
_NOTHING: Any = object()
P = ParamSpec("P")
T = TypeVar("T")


def kept(store: MutableMapping[Any, Any], key: Any, make: Callable[[], T]) -> T:
    """What a store has for a key; made, if it has nothing yet.

    Parameters
    ----------
    store : mutable mapping
    key : hashable
    make : callable
        Called with the lock held, once, unless it calls for the same key itself.

    Returns
    -------
    object
        What ``make`` returned.
    """
    found = store.get(key, _NOTHING)
    if found is _NOTHING:
        with making:
            found = store.get(key, _NOTHING)
            if found is _NOTHING:
                found = store.setdefault(key, make())
    return found


def once(make: Callable[P, T]) -> Callable[P, T]:
    """A function that is called once for each set of arguments, and never forgets its results."""
    store: dict[Any, T] = {}

    @functools.wraps(make)
    def found(*arguments: P.args, **named: P.kwargs) -> T:
        key = (arguments, *named.items()) if named else arguments
        return kept(store, key, lambda: make(*arguments, **named))

    return found


if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):
        """An attribute that is computed on first need, without a lock: Python 3.11 takes one.

        That lock is shared by all objects of a class, and a fork would leave it taken.  Two threads
        may both compute; both get what the first has stored.
        """

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            store = instance.__dict__
            return store.setdefault(self.attrname, self.func(instance))


def held_over_fork(lock: AbstractContextManager[Any]) -> None:
    """Let forks wait for a lock that is taken by those who hold `making`."""
    _over_fork.append(lock)


def _hold() -> None:
    with uninterrupted():  # an interrupt in a hook is dropped; here it would leave locks behind
        for lock in _over_fork:
            _held.enter_context(lock)
        for _ in range(_PATIENCE):
            if not _finished_imports():
                break


def _finished_imports() -> bool:
    """Wait for what other threads import: a child would wait for them for ever.

    Only for packages whose modules wait for nothing themselves; whether there were any.
    """
    locks = getattr(importlib._bootstrap, "_module_locks", {})  # type: ignore[attr-defined]
    names = [name for name in list(locks) if name.partition(".")[0] in _PACKAGES]
    for name in names:
        with suppress(ImportError):
            importlib.import_module(name)
    return bool(names)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=_held.close, after_in_child=_held.close)
