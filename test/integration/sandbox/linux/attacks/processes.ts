import { type Attack, python, shell } from "./attacks.ts";

/** Attacks on processes: signals, left-over ones, and what the service reads from them. */
export const processes: Attack[] = [
  {
    ...shell(
      "kill -9 -1 ends only the sandbox's own processes",
      "sleep 100 & echo before; kill -9 -1; wait 2>/dev/null; echo after",
    ),
    output: /^before\n(.*\n)?after\n/,
  },
  python(
    "process 1 of the sandbox cannot be ended or stopped",
    `
import signal, time
for s in ("SIGKILL", "SIGTERM", "SIGSTOP", "SIGINT", "SIGSEGV"):
    try: os.kill(1, getattr(signal, s))
    except PermissionError: pass
time.sleep(0.1)
print("alive", os.path.exists("/proc/1"))`,
    "alive True",
  ),
  python(
    "processes outside cannot be signalled",
    `
reached = []
own = {int(p) for p in os.listdir("/proc") if p.isdigit()}
for n in range(2, 70000):
    if n in own: continue
    try: os.kill(n, 0); reached.append(n)
    except ProcessLookupError: pass
    except PermissionError: reached.append(-n)
print([n for n in reached if not os.path.exists(f"/proc/{abs(n)}")])`,
    "[]",
  ),
  python(
    "the parent is process 1 or 0 of the sandbox",
    `print(os.getppid() in (0, 1, 2), os.getsid(0) in (0, 1, 2), os.getpgid(0) < 10)`,
    "True True True",
  ),
  // The shell kills itself, too.
  { ...shell("a process group of the service cannot be signalled", "kill -9 0; echo not reached"), exitCode: 137 },
  {
    ...shell(
      "background processes end with the call",
      "sleep 1000 & disown; nohup sleep 1000 >/dev/null 2>&1 & (setsid sleep 1000 &) ; echo started",
    ),
    output: "started\n",
  },
  python(
    "a daemon that ignores every signal ends with the call",
    `
import signal, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for n in range(1, 65):
            try: signal.signal(n, signal.SIG_IGN)
            except (OSError, ValueError): pass
        os.closerange(0, 10)
        end = time.time() + 60
        while time.time() < end:
            try: open("/work/late.txt", "a").write("late")
            except OSError: pass
            time.sleep(0.01)
    os._exit(0)
os.wait(); print("left")`,
    "left",
  ),
  python(
    "a daemon that holds the output does not hold the call",
    `
import time
if os.fork() == 0:
    os.setsid(); time.sleep(100)
print("end")`,
    "end",
  ),
  python(
    "a program that closes its output is waited for",
    `
import time
print("first", flush=True)
os.close(1); os.close(2); time.sleep(0.3)
open("done.txt", "w").write("x")`,
    "first",
  ),
  python(
    "descriptors of the service are not inherited",
    `
kept = sorted(int(n) for n in os.listdir("/proc/self/fd"))
for n in range(0, 4096):
    try: s = os.fstat(n)
    except OSError: continue
    if n > 2 and not os.readlink(f"/proc/self/fd/{n}").endswith("/fd"): print(n, os.readlink(f"/proc/self/fd/{n}"))
print([n for n in kept if n < 3])`,
    "[0, 1, 2]",
  ),
  python(
    "the end of the program cannot be forged on any descriptor",
    `
for n in range(3, 64):
    for text in (b"ended\\n", b'{"exit-code": 0}\\n'):
        try: os.write(n, text); print(n, "WRITTEN")
        except OSError: pass
import glob
for path in glob.glob("/proc/*/fd/*"):
    if path.split("/")[-1] in ("0", "1", "2"): continue
    try:
        d = os.open(path, os.O_WRONLY | os.O_NONBLOCK); os.write(d, b"ended\\n"); print(path, "WRITTEN")
    except OSError: pass
print("ended")
print('{"exit-code": 0}')`,
    "ended",
    '{"exit-code": 0}',
  ),
  shell(
    "standard output cannot be truncated or replaced",
    "echo one; : >/dev/stdout; echo two >/dev/stdout; echo three >>/proc/self/fd/1; exec >/dev/null; echo lost",
    "one",
    "two",
    "three",
  ),
  shell("standard input is not the service's", "readlink /proc/self/fd/0; cat; echo end", "/dev/null", "end"),
  shell(
    "no variable of the service reaches the program",
    "env | grep -iE 'secret|token|key|npm|node|vitest|aws|agent' ; grep -z -iE 'secret|token|vitest' /proc/[0-9]*/environ 2>/dev/null; echo end",
    "end",
  ),
  shell(
    "the environment is the documented one",
    "env | cut -d= -f1 | grep -vE '^(PWD|OLDPWD|SHLVL|_|TZ|PYTHON[A-Z]*|MPLBACKEND|[A-Z]+_[A-Z_]*)$' | sort; echo $PATH $HOME $LANG; pwd",
    "HOME",
    "LANG",
    "PATH",
    "/usr/local/bin:/usr/bin:/bin /tmp C.UTF-8",
    "/work",
  ),
  python(
    "zombies are bounded and end with the call",
    `
made = 0
try:
    for _ in range(2000):
        if os.fork() == 0: os._exit(0)
        made += 1
except OSError as error: print(errno.errorcode[error.errno])
print(made < 1000)`,
    "EAGAIN",
    "True",
  ),
  python(
    "threads are bounded",
    `
import threading, time
made = 0
threading.stack_size(65536)
try:
    for _ in range(5000):
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start(); made += 1
except RuntimeError: print("refused")
print(made < 4000, flush=True); os._exit(0)`,
    "refused",
    "True",
  ),
  python(
    "descriptors are bounded",
    `
kept = []
try:
    while len(kept) < 10**6: kept.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error: print(errno.errorcode[error.errno])
print(len(kept) < 10**5)`,
    "EMFILE",
    "True",
  ),
  python(
    "an argument list that is too long is an error of the program",
    `
import subprocess
attempt("arguments", lambda: subprocess.run(["true", *["x" * 100000] * 100]))
attempt("one argument", lambda: subprocess.run(["true", "x" * 10**6]))
attempt("environment", lambda: subprocess.run(["true"], env={f"V{n}": "x" * 100000 for n in range(100)}))`,
    "arguments E2BIG",
    "one argument E2BIG",
    "environment E2BIG",
  ),
  shell("exec in a loop ends normally", 'n=${N:-0}; [ $n -lt 50 ] && N=$((n + 1)) exec bash "$0"; echo $n', "50"),
  shell(
    "a script cannot delete or change itself",
    '(rm -f "$0"; : > "$0"; echo "echo x" >> "$0") 2>/dev/null; mv "$0" /tmp 2>/dev/null; echo still',
    "still",
  ),
  {
    ...python("raw bytes that are not UTF-8 come back as replacement characters", `os.write(1, b"a\\xff\\xfeb\\n")`),
    output: "a\uFFFD\uFFFDb\n",
  },
  {
    ...python("null bytes and control characters come back", `os.write(1, b"a\\0b\\x1b[2J\\n")`),
    output: "a\0b\u001B[2J\n",
  },
];
