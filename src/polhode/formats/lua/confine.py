"""Takes from this process what a model file never needs: other files, processes, connections.

By Landlock and seccomp where Linux has them, by limits everywhere else.  Imports nothing of
polhode: the process that runs Lua loads it by its path.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_NO_NEW_PRIVILEGES = 38  # of prctl
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_READ_FILE_AND_FOLDER = 1 << 2 | 1 << 3
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}  # by version how many kinds of access to files; then 16

# Of each machine its number in filters, that of seccomp, and the calls that fail: execve(at),
# fork, vfork, clone(3), socket(pair), connect, bind, ptrace, process_vm_readv and _writev, kill,
# tkill, tgkill, pidfd_send_signal, pidfd_open, unshare, setns, mount, bpf, io_uring_setup,
# perf_event_open, memfd_create, userfaultfd, open_by_handle_at, keyctl.
_X86 = (59, 322, 57, 58, 56, 435, 41, 53, 42, 49, 101, 310, 311, 62, 200, 234, 424, 434, 272, 308,
        165, 321, 425, 298, 319, 323, 304, 250)  # fmt: skip
_ARM = (221, 281, 220, 435, 198, 199, 203, 200, 117, 270, 271, 129, 130, 131, 424, 434, 97, 268,
        40, 280, 425, 241, 279, 282, 265, 219)  # fmt: skip
_MACHINES = {"x86_64": (0xC000003E, 317, _X86), "aarch64": (0xC00000B7, 277, _ARM)}
_OTHER_TABLE = 0x40000000  # of x86: the same calls under other numbers
_KILL, _FAIL, _ALLOW = 0x80000000, 0x00050001, 0x7FFF0000
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06


def confine_files(folder: str) -> bool:
    """Let this thread, and those it starts, only read files below a folder; none if it is ''."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_LANDLOCK_CREATE, None, 0, 1)
    if version < 1:
        return False
    rights = (1 << _RIGHTS.get(version, 16)) - 1
    rules = struct.pack("3Q", rights, 3, 3)  # TCP: bind, connect; sockets and signals to others
    rules = rules[: 8 if version < 4 else 16 if version < 6 else 24]
    handle = libc.syscall(_LANDLOCK_CREATE, rules, len(rules), 0)
    if handle < 0:
        return False
    if folder:
        root = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", _READ_FILE_AND_FOLDER, root)
        libc.syscall(_LANDLOCK_ADD, handle, 1, rule, 0)
        os.close(root)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    is_confined = libc.syscall(_LANDLOCK_RESTRICT, handle, 0) == 0
    os.close(handle)
    return is_confined


def confine_calls() -> bool:
    """Make calls fail, in all threads, that start, watch or reach other processes."""
    machine = os.uname().machine if sys.platform == "linux" else ""
    if machine not in _MACHINES or sys.maxsize < 2**32:
        return False
    number, seccomp, refused = _MACHINES[machine]
    count = len(refused)
    code = [(_LOAD, 0, 0, 4), (_IF_EQUAL, 1, 0, number), (_RETURN, 0, 0, _KILL)]
    code += [(_LOAD, 0, 0, 0), (_IF_AT_LEAST, count + 1, 0, _OTHER_TABLE)]
    code += [(_IF_EQUAL, count - k, 0, call) for k, call in enumerate(refused)]
    code += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _FAIL)]
    lines = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in code))
    program = struct.pack("@HP", len(code), ctypes.addressof(lines))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return libc.syscall(seccomp, 1, 1, program) == 0


def limit(seconds: int, memory: int) -> None:
    """Bound processor time, memory and open files, and let no file grow, where the system can."""
    try:
        import resource
    except ImportError:
        return
    limits = {"CPU": seconds, "FSIZE": 0, "CORE": 0, "NOFILE": 32}
    if sys.platform != "darwin":
        limits["AS"] = memory
    for which, value in limits.items():
        _set_limit(resource, which, value)


def forbid_processes() -> None:
    """Let no process or thread be started from now on, where the system counts them."""
    try:
        import resource
    except ImportError:
        return
    _set_limit(resource, "NPROC", 0)


def _set_limit(resource: object, which: str, value: int) -> None:
    kind = getattr(resource, f"RLIMIT_{which}", None)
    if kind is None:
        return
    highest = resource.getrlimit(kind)[1]  # type: ignore[attr-defined]
    if highest == resource.RLIM_INFINITY or highest > value:  # type: ignore[attr-defined]
        resource.setrlimit(kind, (value, value))  # type: ignore[attr-defined]
