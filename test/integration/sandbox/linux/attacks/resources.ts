/** A program that takes more of something than it may have. */
export interface Flood {
  title: string;
  language: "python" | "shell";
  text: string;
  /** It may also end by itself with this output, because a limit of the kernel refused it. Default: it is stopped. */
  mayEnd?: RegExp;
}

const python = (title: string, text: string, mayEnd?: RegExp): Flood => ({
  title,
  language: "python",
  text: `from attack import *\nimport mmap, socket, subprocess, sys, threading, time, signal\n${text}`,
  ...(mayEnd && { mayEnd }),
});
const shell = (title: string, text: string, mayEnd?: RegExp): Flood => ({
  title,
  language: "shell",
  text,
  ...(mayEnd && { mayEnd }),
});

/** Ends with an error of the kernel that the program got. */
const refused =
  /(EAGAIN|ENOSPC|ENOMEM|EMFILE|ENFILE|EPERM|EDQUOT|EMLINK|ENOLCK|MemoryError|refused|Cannot|cannot|No space|Killed|temporarily unavailable)/;

/** Programs that a limit of time, memory, processes, disk, inodes or output has to end. */
export const floods: Flood[] = [
  python("memory by bytes", "a = []\nwhile True: a.append(bytearray(10**7))", refused),
  python("memory by many small objects", "a = []\nwhile True: a.append([object()] * 1000)", refused),
  python(
    "memory by shared mappings",
    "a = []\nwhile True:\n    m = mmap.mmap(-1, 10**7); m.write(b'x' * 10**7); a.append(m)",
    refused,
  ),
  python(
    "memory by files without a name",
    "while True:\n    d = os.memfd_create('m'); os.write(d, b'x' * 10**7)",
    refused,
  ),
  python(
    "memory by many processes",
    "for _ in range(40):\n    if os.fork() == 0:\n        a = bytearray(b'x' * 50 * 10**6); time.sleep(30)\ntime.sleep(30)",
    refused,
  ),
  python(
    "memory by processes of a second thread",
    `
def work(): subprocess.run([sys.executable, "-c", "a = []\\nwhile True: a.append(b'x' * 10**7 + bytes(1))"])
t = threading.Thread(target=work); t.start(); t.join(); time.sleep(30)`,
  ),
  shell("memory of bash", "x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done", /.*/),
  shell("memory of awk", `awk 'BEGIN { s = "x"; while (1) { s = s s } }'`, /.*/),
  python(
    "memory by a mapping that is written page by page",
    "m = mmap.mmap(-1, 2**36, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)\nfor n in range(0, 2**36, 4096): m[n] = 1",
    refused,
  ),
  python(
    "memory of page tables",
    "a = []\nwhile True:\n    m = mmap.mmap(-1, 2**31, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000); a.append(m)\n    for n in range(0, 2**31, 2**21): m[n] = 1",
    refused,
  ),
  python(
    "memory in pipes",
    `
a = []
try:
    while True:
        if len(a) > 3000: os.fork() == 0 and a.clear()
        r, w = os.pipe(); os.set_blocking(w, False); a.append((r, w))
        try: os.write(w, b"x" * 2**16)
        except BlockingIOError: pass
except OSError as error: print(errno.errorcode[error.errno])
time.sleep(0.5)`,
    refused,
  ),
  python(
    "memory in sockets",
    `
def fill():
    a = []
    try:
        while True:
            p = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); p[0].setblocking(False); a.append(p)
            try:
                while True: p[0].send(b"x" * 60000)
            except BlockingIOError: pass
    except OSError as error: print(errno.errorcode[error.errno], flush=True)
    time.sleep(30)
for _ in range(10):
    if os.fork() == 0: fill()
time.sleep(30)`,
    refused,
  ),
  python(
    "memory in message queues",
    `
n = 0
while True:
    q = syscall(68, 186, 0, 0o600)
    if not isinstance(q, int): print(q); break
    while syscall(69, 189, q, (1).to_bytes(8, "little") + b"x" * 8000, 8000, 0o4000) == 0: n += 1
print(n)`,
    refused,
  ),
  python(
    "memory in shared segments",
    `
while True:
    s = syscall(29, 194, 0, 10**7, 0o600)
    if not isinstance(s, int): print(s); break
    libc.shmat.restype = ctypes.c_void_p
    p = libc.shmat(s, None, 0); ctypes.memset(p, 1, 10**7); libc.shmdt(ctypes.c_void_p(p))`,
    refused,
  ),
  python("files in /tmp", "n = 0\nwhile True:\n    open(f'/tmp/{n}', 'wb').write(b'x' * 10**7); n += 1", refused),
  python(
    "files in /dev/shm",
    "n = 0\nwhile True:\n    open(f'/dev/shm/{n}', 'wb').write(b'x' * 10**7); n += 1",
    refused,
  ),
  python("files in the workspace", "n = 0\nwhile True:\n    open(f'{n}', 'wb').write(b'x' * 10**7); n += 1", refused),
  shell("one file that grows", "cat /dev/zero > big", /.*/),
  shell("a file that doubles", "echo a > f; while cat f f > g && cat g g > f; do :; done", /.*/),
  shell("a compressed bomb", "head -c 3000000000 /dev/zero | gzip > b.gz; gunzip -c b.gz > out", /.*/),
  python(
    "files that were deleted but are open",
    "a = []\nwhile True:\n    f = open('f', 'wb'); f.write(b'x' * 10**7); f.flush(); os.remove('f'); a.append(f)",
    refused,
  ),
  python("inodes in /tmp", "n = 0\nwhile True: open(f'/tmp/{n}', 'w').close(); n += 1", refused),
  python("inodes in the workspace", "n = 0\nwhile True: open(f'{n}', 'w').close(); n += 1", refused),
  python("folders in the workspace", "n = 0\nwhile True: os.mkdir(f'{n}'); n += 1", refused),
  python("symbolic links", "n = 0\nwhile True: os.symlink('x' * 4000, f'/tmp/{n}'); n += 1", refused),
  python("hard links", "open('f', 'w').close()\nn = 0\nwhile True: os.link('f', f'l{n}'); n += 1", refused),
  python("deep folders", "while True: os.mkdir('d'); os.chdir('d')", refused),
  python("names that do not exist", "n = 0\nwhile True:\n    n += 1; os.path.exists(f'/work/{n}')"),
  python("terminals", "import pty\na = []\nwhile True: a.append(pty.openpty())", refused),
  python("descriptors of events", "a = []\nwhile True: a.append(os.eventfd(0)); syscall(291, 20, 0)", refused),
  python(
    "sockets that listen",
    "a = []\nwhile True:\n    s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(4096); a.append(s)",
    refused,
  ),
  shell("a fork bomb of bash", ":() { : | : & }; :; wait", /.*/),
  shell("a fork bomb that comes back", "f() { while :; do f & done; }; f", /.*/),
  python("a fork bomb", "while True:\n    try: os.fork()\n    except OSError: pass"),
  python(
    "a fork bomb of sessions",
    "while True:\n    try:\n        if os.fork() == 0: os.setsid()\n    except OSError: pass",
  ),
  python(
    "zombies",
    "while True:\n    try:\n        if os.fork() == 0: os._exit(0)\n    except OSError: time.sleep(0.01)",
  ),
  python(
    "threads",
    "threading.stack_size(2**16)\nwhile True:\n    try: threading.Thread(target=time.sleep, args=(60,)).start()\n    except RuntimeError: time.sleep(0.1)",
  ),
  python(
    "stopped processes",
    "for _ in range(50):\n    if os.fork() == 0: os.kill(os.getpid(), signal.SIGSTOP)\nos.kill(os.getpid(), signal.SIGSTOP)",
  ),
  python("busy processes", "for _ in range(60): os.fork() if os.getpid() else 0\nwhile True: pass", refused),
  shell("exec in a loop", 'exec bash "$0"'),
  shell("an endless recursion of bash", "f() { f; }; f", /.*/),
  python("an endless recursion", "sys.setrecursionlimit(10**9)\ndef f(): f()\nf()", /.*/),
  python("a catastrophic pattern", "import re\nre.match(r'^(a+)+$', 'a' * 50 + 'b')"),
  shell("a program that ignores SIGTERM", "trap '' TERM HUP INT; while :; do sleep 1; done"),
  python(
    "a program that ignores all signals",
    "for n in range(1, 65):\n    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nwhile True: time.sleep(1)",
  ),
  shell("standard output", "yes"),
  shell("standard error", "yes >&2"),
  shell("both outputs", "yes out & yes err >&2"),
  shell("a line without an end", "tr '\\0' x </dev/zero"),
  shell("binary output", "cat /dev/urandom"),
  shell("null bytes", "cat /dev/zero"),
  shell("output of single bytes", "while :; do printf x; printf y >&2; done"),
  shell("output of many processes", "for i in {1..50}; do yes $i & done; wait"),
  shell("output of a process in the background", "(setsid yes &) ; sleep 60"),
  python(
    "output through a second descriptor",
    "d = os.open('/dev/stdout', os.O_WRONLY)\nwhile True: os.write(d, b'x' * 65536)",
  ),
  shell("sleep beyond the limit", "sleep 1000"),
];
