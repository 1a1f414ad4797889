"""Helpers of the attacks: system calls by number, and one line for each attempt."""

import ctypes
import errno
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
is_arm = platform.machine() == "aarch64"


def syscall(x64, arm64, *arguments):
    """Returns a system call's result, or its error's name."""
    number = arm64 if is_arm else x64
    if number is None:
        return "ENOSYS"
    ctypes.set_errno(0)
    values = [a if isinstance(a, (bytes, ctypes.Array, ctypes.Structure)) or a is None else ctypes.c_long(a) for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result if result != -1 else errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())


def attempt(name, work):
    """Prints what came of an attempt: an error's name, or what it returned."""
    try:
        result = work()
        print(name, "SUCCEEDED", str(result)[:200])
    except OSError as error:
        print(name, errno.errorcode.get(error.errno, error.errno))
    except Exception as error:
        print(name, type(error).__name__)


def write(path, text="1"):
    """Writes to a file that exists. Does not truncate it."""
    descriptor = os.open(path, os.O_WRONLY)
    os.write(descriptor, text.encode())
    os.close(descriptor)


def read(path, size=4096):
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return os.read(descriptor, size)
    finally:
        os.close(descriptor)
