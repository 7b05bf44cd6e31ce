"""Renaming inside of an open folder without losing what somebody puts there in the same moment.

Linux (``renameat2``) and macOS (``renameatx_np``) can swap two names, or refuse to take one that is taken. Where the
system or the file system cannot, callers look once more and rename as everybody does.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable

# <linux/fs.h> RENAME_NOREPLACE, RENAME_EXCHANGE; <stdio.h> of macOS RENAME_EXCL, RENAME_SWAP.
_FLAGS = {"renameat2": (1, 2), "renameatx_np": (4, 2)}
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


def move_to_free(folder: int, name: str, free: str) -> bool:
    """Rename ``name`` to ``free``; False where that cannot be done safely. Raises FileExistsError if it is taken."""
    return _call(folder, name, free, 0)


def swap(folder: int, name: str, other: str) -> bool:
    """Let two names change places in one step; False where that cannot be done. Raises FileNotFoundError."""
    return _call(folder, name, other, 1)


def _call(folder: int, name: str, other: str, which: int) -> bool:
    found = _function()
    if found is None:
        return False
    function, flags = found
    if function(folder, os.fsencode(name), folder, os.fsencode(other), flags[which]) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), name)


def _function() -> tuple[Callable[..., int], tuple[int, int]] | None:
    library = ctypes.CDLL(None, use_errno=True)
    for name, flags in _FLAGS.items():
        if function := getattr(library, name, None):
            function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
            return function, flags
    return None
