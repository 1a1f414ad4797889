import { type Attack, python, pythonMatching, shell } from "./attacks.ts";

/** Settings of the machine. A program that runs as root outside of the sandbox could write them. */
const settings = [
  "/proc/sys/kernel/core_pattern",
  "/proc/sys/kernel/modprobe",
  "/proc/sys/kernel/hostname",
  "/proc/sys/kernel/domainname",
  "/proc/sys/kernel/sysrq",
  "/proc/sys/kernel/randomize_va_space",
  "/proc/sys/kernel/ns_last_pid",
  "/proc/sys/kernel/panic",
  "/proc/sys/kernel/printk",
  "/proc/sys/kernel/shmmax",
  "/proc/sys/kernel/msgmax",
  "/proc/sys/vm/swappiness",
  "/proc/sys/vm/overcommit_memory",
  "/proc/sys/vm/drop_caches",
  "/proc/sys/fs/file-max",
  "/proc/sys/fs/mqueue/msg_max",
  "/proc/sys/user/max_user_namespaces",
  "/proc/sys/net/ipv4/ip_forward",
  "/proc/sys/net/ipv4/ping_group_range",
  "/proc/sysrq-trigger",
  "/proc/irq/default_smp_affinity",
];

const ownFiles = [
  "uid_map",
  "gid_map",
  "setgroups",
  "projid_map",
  "oom_score_adj",
  "oom_adj",
  "coredump_filter",
  "loginuid",
  "timerslack_ns",
  "autogroup",
  "clear_refs",
  "comm",
  "attr/current",
  "timens_offsets",
  "sched",
];

/** Attacks through /proc. */
export const proc: Attack[] = [
  ...settings.map((path) =>
    // ENOENT: this kernel does not have it. EACCES comes before EROFS.
    pythonMatching(
      `${path} cannot be written`,
      `attempt("write", lambda: write("${path}", read("${path}", 100).decode() if os.access("${path}", os.R_OK) else "0"))`,
      /^write (EACCES|EROFS|ENOENT)\n$/,
    ),
  ),
  {
    ...python(
      "no file of its own process in /proc can be written",
      `for name in ${JSON.stringify(ownFiles)}: attempt(name, lambda: write("/proc/self/" + name, "0"))`,
    ),
    output: /^([\w/]+ (EROFS|ENOENT)\n){15}$/,
  },
  python(
    "the environment of process 1 names no folder of the host",
    `
for path in ("/proc/1/environ", "/proc/2/environ"):
    try: data = read(path, 100000)
    except OSError: continue
    print([v for v in data.decode().split("\\0") if "/" in v and not v.startswith(("PATH=", "HOME=/tmp", "PYTHONPATH=/run/python", "PWD=/work", "_="))])`,
    "[]",
    "[]",
  ),
  python(
    "the memory of process 1 cannot be changed, and its root is the sandbox",
    `
attempt("memory", lambda: os.open("/proc/1/mem", os.O_RDWR))
attempt("host", lambda: os.listdir("/proc/1/root/proc/1/root/work/../../../root"))
print(sorted(os.listdir("/proc/1/root/")) == sorted(os.listdir("/")))`,
    "memory EROFS",
    "host ENOENT",
    "True",
  ),
  shell(
    "the command line of process 1 names no folders of the host",
    "tr '\\0' '\\n' </proc/1/cmdline | grep -E 'bind|/tmp|/home|/root|/var|/sys'; echo end",
    "end",
  ),
  shell(
    "only the sandbox's own processes are visible",
    "ls -d /proc/[0-9]* | wc -l | awk '{ print ($1 < 10) }'; ps -e -o comm= 2>/dev/null | sort -u | grep -vE '^(bwrap|bash|prlimit|ps|sort|grep|ls|wc|awk|head)$'; echo end",
    "1",
    "end",
  ),
  python(
    "no process is visible by guessing its number",
    `
import glob
seen = {int(p[6:]) for p in glob.glob("/proc/[0-9]*")}
found = [n for n in range(1, 70000) if n not in seen and os.path.exists(f"/proc/{n}/status")]
print([n for n in found if open(f"/proc/{n}/status").read().split("Tgid:")[1].split()[0] not in map(str, seen)])`,
    "[]",
  ),
  python(
    "descriptors of other processes cannot be opened",
    `
import glob
for path in glob.glob("/proc/[0-9]*/fd/*"):
    if path.split("/")[4] in ("0", "1", "2") or path.split("/")[2] == str(os.getpid()): continue
    for mode in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
        try: os.open(path, mode | os.O_NONBLOCK); print(path, os.readlink(path), "OPENED")
        except OSError: pass
print("end")`,
    "end",
  ),
  shell(
    "memory, ports and symbols of the kernel are not readable",
    "for f in /dev/mem /dev/port /proc/kcore /proc/kpageflags /proc/vmallocinfo /proc/slabinfo /proc/keys /proc/key-users /proc/timer_list /proc/sched_debug; do head -c 16 $f 2>/dev/null | grep -q . && echo \"$f is readable\"; done; awk '$1 !~ /^0+$/ { n++ } END { print n + 0 }' /proc/kallsyms 2>/dev/null || echo 0",
    "0",
  ),
  shell(
    "there is no /sys, no control group and no debug file system",
    "ls /sys /sys/fs/cgroup /sys/kernel 2>/dev/null | head -3; grep -E ' (cgroup2?|sysfs|debugfs|tracefs|securityfs|bpf|configfs|fusectl|binfmt_misc) ' /proc/self/mountinfo; echo end",
    "end",
  ),
  python(
    "the memory of its own program can be changed only by itself",
    `
import subprocess
child = subprocess.Popen(["sleep", "5"])
attempt("child's memory", lambda: write(f"/proc/{child.pid}/mem", "x"))
child.kill()`,
    "child's memory EROFS",
  ),
  python(
    "names in /proc that point out of the sandbox lead nowhere",
    `
import glob
for pattern in ("/proc/*/root", "/proc/*/cwd", "/proc/*/task/*/root"):
    for path in glob.glob(pattern):
        for outside in ("/etc/shadow", "/root", "/home", "/var/lib/dpkg"):
            try:
                if os.listdir(path + outside): print(path + outside)
            except OSError: pass
print("end")`,
    "end",
  ),
];
