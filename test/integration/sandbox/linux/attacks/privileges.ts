import { type Attack, python, shell } from "./attacks.ts";

/** Attacks on users, capabilities, namespaces and limits. */
export const privileges: Attack[] = [
  shell(
    "has no capabilities, cannot get any, and is filtered",
    "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status | tr '\\t' ' '",
    "CapInh: 0000000000000000",
    "CapPrm: 0000000000000000",
    "CapEff: 0000000000000000",
    "CapBnd: 0000000000000000",
    "CapAmb: 0000000000000000",
    "NoNewPrivs: 1",
    "Seccomp: 2",
  ),
  python(
    "cannot become another user or group",
    `
for name, work in [
    ("setuid", lambda: os.setuid(0)),
    ("seteuid", lambda: os.seteuid(0)),
    ("setresuid", lambda: os.setresuid(0, 0, 0)),
    ("setreuid", lambda: os.setreuid(1, 1)),
    ("setgid", lambda: os.setgid(0)),
    ("setegid", lambda: os.setegid(0)),
    ("setgroups", lambda: os.setgroups([0])),
    ("initgroups", lambda: os.initgroups("root", 0)),
]: attempt(name, work)
print(os.getuid() == 0, os.geteuid() == 0)`,
    "setuid EINVAL", // user 0 does not exist in the user namespace
    "seteuid EINVAL",
    "setresuid EINVAL",
    "setreuid EINVAL",
    "setgid EINVAL",
    "setegid EINVAL",
    "setgroups EPERM",
    "initgroups EPERM",
    "False False",
  ),
  python(
    "cannot add capabilities",
    `
import struct
header = struct.pack("Ii", 0x20080522, 0)
print("capset", syscall(126, 91, header, struct.pack("6I", 0xffffffff, 0xffffffff, 0, 0xffffffff, 0, 0)))
print("ambient", syscall(157, 167, 47, 2, 21, 0, 0))
print("securebits", syscall(157, 167, 28, 0x2f, 0, 0, 0))
print("keep", syscall(157, 167, 8, 1, 0, 0, 0), syscall(157, 167, 24, 21, 0, 0, 0))`,
    "capset EPERM",
    "ambient EPERM",
    "securebits EPERM",
    "keep 0 EPERM", // it may keep the capabilities that it does not have
  ),
  python(
    "cannot remove its filter or the ban on new privileges",
    `
print("new privileges", syscall(157, 167, 38, 0, 0, 0, 0), syscall(157, 167, 39, 0, 0, 0, 0))
print("filter", syscall(157, 167, 22, 0, 0, 0, 0), syscall(157, 167, 21, 0, 0, 0, 0))`,
    "new privileges EINVAL 1",
    "filter EINVAL 2",
  ),
  shell(
    "programs with the setuid bit stay without rights",
    `touch out; for f in $(find /usr/bin /usr/sbin /usr/lib /usr/libexec -xdev -type f -perm /6000 2>/dev/null); do
  case $f in */su) echo x | timeout 5 $f -c 'id -u' root ;; */mount) $f -t tmpfs t /tmp ;; */umount) $f /proc ;;
  */newgrp) timeout 5 $f root -c id </dev/null ;; */chsh) timeout 5 $f -s /bin/sh root </dev/null ;; */passwd) echo | timeout 5 $f root ;; *) false ;; esac >>out 2>&1 && echo "$f succeeded"
done; grep -c uid=0 out; id -u`,
    "0",
    "65534",
  ),
  shell(
    "a copy of a program with the setuid bit is an ordinary program",
    "cp /usr/bin/id mine; chmod 6755 mine; ./mine -u; ./mine -g; rm mine; cp /usr/bin/id /tmp/mine; chmod 4755 /tmp/mine; /tmp/mine -u",
    "65534",
    "65534",
    "65534",
  ),
  shell(
    "every mount ignores setuid bits, and all but the private ones are read-only",
    String.raw`awk '$6 !~ /nosuid/ { print $5, $6 } $6 ~ /^rw/ && $5 !~ /^\/dev\/(full|null|random|tty|urandom|zero)$/ { print $5 }' /proc/self/mountinfo | sort`,
    "/dev/pts",
    "/dev/shm",
    "/tmp",
    "/var/tmp",
    "/work",
  ),
  {
    ...shell(
      "unshare and nested bubblewrap are refused",
      `
unshare -U true 2>/dev/null; echo $?; unshare -Urm true 2>/dev/null; echo $?; unshare -n true 2>/dev/null; echo $?
command -v bwrap >/dev/null || { echo 1; exit; }
bwrap --ro-bind / / --dev /dev true 2>/dev/null; echo $?`,
    ),
    output: /^1\n1\n1\n1\n$/,
  },
  shell(
    "nsenter into process 1 is refused",
    "for n in user mnt net pid ipc uts; do nsenter --$n=/proc/1/ns/$n true 2>/dev/null && echo entered $n; done; echo end",
    "end",
  ),
  python(
    "namespace descriptors cannot be entered",
    `
for name in sorted(os.listdir("/proc/self/ns")):
    d = os.open(f"/proc/self/ns/{name}", os.O_RDONLY)
    r = syscall(308, 268, d, 0)
    if r != "EPERM": print(name, r)
print("end")`,
    "end",
  ),
  python(
    "cannot raise its priority or use real-time scheduling",
    `
attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -20))
attempt("fifo", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)))
attempt("round robin", lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1)))
print("io", syscall(251, 30, 1, 0, 1 << 13))
print("deadline", syscall(314, 274, 0, (48).to_bytes(4, "little") + (6).to_bytes(4, "little") + bytes(16) + (10**6).to_bytes(8, "little") * 3, 0))`,
    "priority EACCES",
    "fifo EPERM",
    "round robin EPERM",
    "io EPERM",
    "deadline EPERM",
  ),
  python(
    "cannot raise its limits",
    `
import resource as r
for name in ("RLIMIT_NPROC", "RLIMIT_FSIZE", "RLIMIT_CORE", "RLIMIT_NOFILE"):
    kind = getattr(r, name)
    soft, hard = r.getrlimit(kind)
    if hard == r.RLIM_INFINITY: print(name, "unlimited")
    try: r.setrlimit(kind, (soft, hard + 1)); print(name, "raised")
    except (ValueError, OSError): pass
print("memory locks", syscall(149, 228, 0, 0) if r.getrlimit(r.RLIMIT_MEMLOCK)[1] == 0 else "limited" if r.getrlimit(r.RLIMIT_MEMLOCK)[1] < 2**34 else "unlimited")
print("end")`,
    "memory locks limited",
    "end",
  ),
  python(
    "a core dump is not written",
    `
import subprocess, resource
try: resource.setrlimit(resource.RLIMIT_CORE, (2**20, 2**20))
except (ValueError, OSError): print("refused")
print(subprocess.run(["bash", "-c", "ulimit -c unlimited 2>/dev/null; kill -SEGV $$"]).returncode, sorted(f for f in os.listdir(".") if "core" in f))`,
    "refused",
    "-11 []",
  ),
  shell(
    "there is no terminal to type into",
    "(exec 3<>/dev/tty) 2>/dev/null && echo opened; tty; cut -d' ' -f7 /proc/self/stat; python3 -c 'import os; print(os.getsid(0) != 0)'",
    "not a tty",
    "0",
    "True",
  ),
  python(
    "TIOCSTI is refused on a terminal of its own",
    `
import fcntl, pty, termios
a, b = pty.openpty()
attempt("type", lambda: fcntl.ioctl(b, termios.TIOCSTI, b"x"))
os.setsid() if os.getpid() != os.getsid(0) else None
attempt("control and type", lambda: (fcntl.ioctl(b, termios.TIOCSCTTY, 0), fcntl.ioctl(b, termios.TIOCSTI, b"x")))`,
    "type EPERM",
    "control and type EPERM",
  ),
  shell(
    "the clock and the names of the machine cannot be changed",
    `date -s 2000-01-01 >/dev/null 2>&1; echo $(($(date +%Y) > 2020)); hostname evil 2>/dev/null; uname -n; ls /dev/rtc* 2>/dev/null; python3 -c '
import time
try: time.clock_settime(time.CLOCK_REALTIME, 0); print("set")
except PermissionError: print("refused")'`,
    "1",
    "sandbox",
    "refused",
  ),
  shell(
    "the kernel's log cannot be read",
    "dmesg >/dev/null 2>&1; echo $?; cat /dev/kmsg 2>/dev/null; cat /proc/kmsg 2>/dev/null; echo end",
    "1",
    "end",
  ),
  shell(
    "the devices are the harmless ones",
    "cd /dev; for f in *; do [ ! -h $f ] && [ -c $f -o -b $f ] && echo $f; done; ls /dev/kvm /dev/fuse /dev/mem /dev/sda /dev/vda 2>/dev/null; true",
    "full",
    "null",
    "random",
    "tty",
    "urandom",
    "zero",
  ),
  python(
    "device nodes cannot be made",
    `
import stat
for place in ("/work", "/tmp", "/dev/shm", "/dev"):
    attempt(f"{place} character", lambda: os.mknod(f"{place}/mem", 0o666 | stat.S_IFCHR, os.makedev(1, 1)))
    attempt(f"{place} block", lambda: os.mknod(f"{place}/disk", 0o666 | stat.S_IFBLK, os.makedev(254, 0)))`,
    "/work character EPERM",
    "/work block EPERM",
    "/tmp character EPERM",
    "/tmp block EPERM",
    "/dev/shm character EPERM",
    "/dev/shm block EPERM",
    "/dev character EROFS",
    "/dev block EROFS",
  ),
];
