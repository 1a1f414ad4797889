"""Runs a program in a container that has no other wall inside, and prints what it prints.

Usage: supervise.py PROCESSES FILE_BYTES COMMAND [ARGUMENT...]

Descriptor 3: seccomp filters, each as hexadecimal digits in a line. They hold for this process, too: a program of the same
user could otherwise make it call what is refused.
Descriptor 4: receives the exit code of the program, 128 + n after signal n. Nothing is written there if it did not start.
"""

import ctypes
import os
import resource
import select
import signal
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2  # linux/prctl.h, linux/seccomp.h
PIPE_BYTES = 1 << 20  # the most that a program can make its pipe hold: fs.pipe-max-size


class Filter(ctypes.Structure):
    """struct sock_fprog of linux/filter.h. An instruction has eight bytes."""

    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def refuse_system_calls(filters):
    libc = ctypes.CDLL(None, use_errno=True)

    def prctl(option, *arguments):
        if libc.prctl(option, *arguments) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), "prctl")

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for code in filters:
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(Filter(len(code) // 8, code)), 0, 0)


def limit(processes, file_bytes):
    for kind, value in (
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))
    # When memory runs out, the kernel ends the program, not the function.
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")


def start(command):
    """Returns the process id, and the end of a pipe with its output. A pipe, so that the program can open /dev/stderr."""
    output, written = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.dup2(written, 1)
        os.dup2(written, 2)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # also those that the platform gave the function
        try:
            os.execvp(command[0], command)
        except OSError as error:
            os.write(2, f"{command[0]}: {error.strerror}\n".encode())
            os._exit(127)
    os.close(written)
    return pid, output


def copy_output(pid, output):
    """Copies the output until the program ends. Processes that it leaves behind may hold the pipe open for longer."""
    ended = os.pidfd_open(pid)
    poll = select.poll()
    # In this order: when the program has ended, all that it wrote is already in the pipe.
    poll.register(ended, select.POLLIN)
    poll.register(output, select.POLLIN)
    while True:
        ready = [descriptor for descriptor, _ in poll.poll()]
        if output in ready:
            part = os.read(output, PIPE_BYTES)
            if part == b"":
                poll.unregister(output)
            while part:
                part = part[os.write(1, part) :]
        if ended in ready:
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    processes, file_bytes, *command = sys.argv[1:]
    with os.fdopen(3, "rb") as given:
        filters = [bytes.fromhex(line.decode()) for line in given]
    limit(int(processes), int(file_bytes))
    refuse_system_calls(filters)
    pid, output = start(command)
    code = copy_output(pid, output)
    os.write(4, str(128 - code if code < 0 else code).encode())


main()
