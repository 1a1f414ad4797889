/** Number on x64, number on arm64, arguments (`text` is a C string), expected error. `null`: it has no number there. */
export type SystemCall = [
  name: string,
  x64: number | null,
  arm64: number | null,
  args: (number | string)[],
  error: string,
];

/**
 * System calls that a program must not be able to make. Where possible, the arguments are such that the kernel itself would
 * answer something else: without the filter, these calls succeed or fail with another error.
 */
export const systemCalls: SystemCall[] = [
  ["add_key", 248, 217, ["user", "name", "payload", 7, -2], "EPERM"],
  ["request_key", 249, 218, ["user", "name", 0, -2], "EPERM"],
  ["keyctl (session keyring)", 250, 219, [0, -3, 1], "EPERM"],
  ["keyctl (user keyring)", 250, 219, [0, -4, 1], "EPERM"],
  ["keyctl (join a session)", 250, 219, [1, 0], "EPERM"],
  ["bpf (map)", 321, 280, [0, 0, 0], "EPERM"],
  ["bpf (program)", 321, 280, [5, 0, 0], "EPERM"],
  ["perf_event_open", 298, 241, [0, 0, -1, -1, 0], "EPERM"],
  ["userfaultfd", 323, 282, [0], "EPERM"],
  ["userfaultfd (user mode only)", 323, 282, [1], "EPERM"],
  ["io_uring_setup", 425, 425, [1, 0], "ENOSYS"],
  ["io_uring_enter", 426, 426, [0, 0, 0, 0, 0], "ENOSYS"],
  ["io_uring_register", 427, 427, [0, 0, 0, 0], "ENOSYS"],
  ["io_setup", 206, 0, [1, 0], "ENOSYS"],
  ["ptrace (trace me)", 101, 117, [0, 0, 0, 0], "EPERM"],
  ["ptrace (attach to process 1)", 101, 117, [16, 1, 0, 0], "EPERM"],
  ["ptrace (seize process 1)", 101, 117, [0x4206, 1, 0, 0], "EPERM"],
  ["process_vm_readv", 310, 270, [1, 0, 0, 0, 0, 0], "EPERM"],
  ["process_vm_writev", 311, 271, [1, 0, 0, 0, 0, 0], "EPERM"],
  ["kcmp", 312, 272, [1, 1, 0, 0, 0], "EPERM"],
  ["pidfd_getfd", 438, 438, [3, 0, 0], "EPERM"],
  ["process_madvise", 440, 440, [3, 0, 0, 0, 0], "EPERM"],
  ["mount (bind)", 165, 40, ["/", "/tmp", 0, 4096, 0], "EPERM"],
  ["mount (tmpfs)", 165, 40, ["t", "/tmp", "tmpfs", 0, 0], "EPERM"],
  ["mount (remount writable)", 165, 40, [0, "/usr", 0, 32 + 4096, 0], "EPERM"],
  ["mount (proc)", 165, 40, ["p", "/proc", "proc", 0, 0], "EPERM"],
  ["umount2", 166, 39, ["/proc", 2], "EPERM"],
  ["umount2 (workspace)", 166, 39, ["/work", 2], "EPERM"],
  ["pivot_root", 155, 41, [".", "."], "EPERM"],
  ["chroot", 161, 51, ["/tmp"], "EPERM"],
  ["open_tree", 428, 428, [-100, "/", 1], "EPERM"],
  ["move_mount", 429, 429, [-100, "/", -100, "/tmp", 0], "EPERM"],
  ["fsopen", 430, 430, ["tmpfs", 0], "EPERM"],
  ["fsconfig", 431, 431, [3, 0, 0, 0, 0], "EPERM"],
  ["fsmount", 432, 432, [3, 0, 0], "EPERM"],
  ["fspick", 433, 433, [-100, "/", 0], "EPERM"],
  ["mount_setattr", 442, 442, [-100, "/", 0, 0, 0], "EPERM"],
  ["unshare (user)", 272, 97, [0x1000_0000], "EPERM"],
  ["unshare (mount)", 272, 97, [0x2_0000], "EPERM"],
  ["unshare (network)", 272, 97, [0x4000_0000], "EPERM"],
  ["unshare (pid)", 272, 97, [0x2000_0000], "EPERM"],
  ["unshare (nothing)", 272, 97, [0], "EPERM"],
  ["setns", 308, 268, [0, 0], "EPERM"],
  ["clone (user namespace)", 56, 220, [0x1000_0011, 0, 0, 0, 0], "EPERM"],
  ["clone (user and mount namespace)", 56, 220, [0x1002_0011, 0, 0, 0, 0], "EPERM"],
  ["clone (network namespace)", 56, 220, [0x4000_0011, 0, 0, 0, 0], "EPERM"],
  ["clone (control group namespace)", 56, 220, [0x0200_0011, 0, 0, 0, 0], "EPERM"],
  ["clone3", 435, 435, [0, 0], "ENOSYS"],
  ["open_by_handle_at", 304, 265, [-100, 0, 0], "EPERM"],
  ["name_to_handle_at", 303, 264, [-100, "/", 0, 0, 0], "EPERM"],
  ["fanotify_init", 300, 262, [0, 0], "EPERM"],
  ["fanotify_init (report names)", 300, 262, [0x600, 0], "EPERM"],
  ["fanotify_mark", 301, 263, [3, 1, 0, -100, "/"], "EPERM"],
  ["init_module", 175, 105, [0, 0, ""], "EPERM"],
  ["finit_module", 313, 273, [0, "", 0], "EPERM"],
  ["delete_module", 176, 106, ["no_such_module", 2048], "EPERM"],
  ["kexec_load", 246, 104, [0, 0, 0, 0], "EPERM"],
  ["kexec_file_load", 320, 294, [-1, -1, 0, 0, 0], "EPERM"],
  ["reboot (with a wrong magic number)", 169, 142, [1, 2, 3, 0], "EPERM"],
  ["swapon", 167, 224, ["/work/none", 0], "EPERM"],
  ["swapoff", 168, 225, ["/work/none"], "EPERM"],
  ["acct", 163, 89, ["/work/none"], "EPERM"],
  ["syslog (read all)", 103, 116, [3, 0, 0], "EPERM"],
  ["syslog (size)", 103, 116, [10, 0, 0], "EPERM"],
  ["quotactl", 179, 60, [0x8000_0700, 0, 0, 0], "EPERM"],
  ["settimeofday", 164, 170, [0, 0], "EPERM"],
  ["clock_settime", 227, 112, [0, 0], "EPERM"],
  ["clock_settime (a clock that does not exist)", 227, 112, [99, 0], "EPERM"],
  ["clock_adjtime", 305, 266, [0, 0], "EPERM"],
  ["adjtimex", 159, 171, [0], "EPERM"],
  ["sethostname", 170, 161, ["evil", 4], "EPERM"],
  ["setdomainname", 171, 162, ["evil", 4], "EPERM"],
  ["vhangup", 153, 58, [], "EPERM"],
  ["iopl", 172, null, [3], "EPERM"],
  ["ioperm", 173, null, [0x80, 1, 1], "EPERM"],
  ["modify_ldt", 154, null, [0, 0, 0], "EPERM"],
  ["mbind", 237, 235, [0, 0, 0, 0, 0, 0], "EPERM"],
  ["set_mempolicy", 238, 237, [0, 0, 0], "EPERM"],
  ["migrate_pages", 256, 238, [0, 0, 0, 0], "EPERM"],
  ["move_pages", 279, 239, [0, 0, 0, 0, 0, 0], "EPERM"],
  ["memfd_secret", 447, 447, [0], "EPERM"],
  ["personality (no randomization)", 135, 92, [0x4_0000], "EPERM"],
  ["personality (read implies execute)", 135, 92, [0x40_0000], "EPERM"],
  ["ioctl TIOCSTI", 16, 29, [1, 0x5412, 0], "EPERM"],
  ["ioctl TIOCSTI with high bits", 16, 29, [1, 0x1_0000_5412, 0], "EPERM"],
  ["ioctl TIOCLINUX", 16, 29, [1, 0x541c, 0], "EPERM"],
  ["getpid by the x32 interface", 0x4000_0027, 100_000, [], "ENOSYS"],
  ["open by the x32 interface", 0x4000_0002, 100_000, ["/", 0], "ENOSYS"],
  ["a call that is newer than the list", 470, 470, [], "ENOSYS"],
  ["a call that does not exist", 5_000, 5_000, [], "ENOSYS"],
];

/** Families of sockets by number. Only unix, IPv4 and IPv6 sockets can be made. */
export const refusedFamilies = Array.from({ length: 46 }, (_, family) => family).filter((n) => ![1, 2, 10].includes(n));

/** Makes every call in a process of its own, since some would change or stop the caller. Prints `name error` lines. */
export const systemCallProgram = (calls: SystemCall[]): string => `from attack import *
import json, os, signal, sys, time
for name, x64, arm64, args, _ in json.loads(${JSON.stringify(JSON.stringify(calls))}):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        result = syscall(x64, arm64, *[a.encode() if isinstance(a, str) else a for a in args])
        if result == 0 and "clone" in name: os._exit(0)
        print(name, result)
        sys.stdout.flush()
        os._exit(0)
    end = time.time() + 2
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.time() > end: os.kill(child, signal.SIGKILL); os.waitpid(child, 0); break
        time.sleep(0.001)
`;

export const familyProgram = `from attack import *
import socket
for family in ${JSON.stringify(refusedFamilies)}:
    for kind in (1, 2, 3, 5):
        attempt(f"{family} {kind}", lambda: socket.socket(family, kind, 0))
attempt("pair 16", lambda: socket.socketpair(socket.AF_NETLINK))
attempt("pair 38", lambda: socket.socketpair(38))
`;
