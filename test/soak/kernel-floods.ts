/** A program that uses up what the kernel counts for a user or for the machine. `holds`: what it prints when it has done so. */
export interface KernelFlood {
  title: string;
  text: string;
  holds: RegExp;
}

/** Before the text of each flood. */
export const floodImports = "import ctypes, mmap, os, resource, select, signal, socket, array, time\n";
/** How long the flood lasts while another process polls the service. */
const hold = "time.sleep(3)";

export const kernelFloods: KernelFlood[] = [
  {
    title: "watches of epoll",
    text: `
def work():
    files, polls = [], []
    try:
        while len(files) < 2000: files.append(os.eventfd(0))
    except OSError: pass
    while len(files) > 100 and len(files) > resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2: os.close(files.pop())
    try:
        while True:
            polls.append(select.epoll())
            for file in files: polls[-1].register(file, 0)
    except OSError as error: print(error.strerror, flush=True)
    ${hold}
    os._exit(0)
for _ in range(4):
    if os.fork() == 0: work()
for _ in range(4): os.wait()`,
    holds: /(Too many open files|No space left on device)/,
  },
  {
    title: "watches of one file under many numbers",
    text: `
def work():
    polls = [select.epoll() for _ in range(20)]
    files = [os.eventfd(0) for _ in range(20)]
    first = max(files) + 1
    last = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    try:
        for file in files:
            for number in range(first, last):
                os.dup2(file, number)
                for poll in polls: poll.register(number, 0)
                os.close(number)
    except OSError: pass
    print("watched", flush=True)
    ${hold}
    os._exit(0)
for _ in range(20):
    if os.fork() == 0: work()
for _ in range(20): os.wait()`,
    holds: /watched/,
  },
  {
    title: "instances of inotify",
    text: `
libc = ctypes.CDLL(None)
n = 0
while n < 3000 and libc.inotify_init1(0) >= 0: n += 1
print(n, n < 3000, flush=True)
${hold}`,
    holds: /^\d+ True$/m,
  },
  {
    title: "pipes",
    text: `
pipes = []
try:
    while True: pipes.append(os.pipe())
except OSError as error: print(error.strerror, flush=True)
${hold}`,
    holds: /Too many open files/,
  },
  {
    title: "pending signals",
    text: `
libc = ctypes.CDLL(None)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
n = 0
while n < 100_000 and libc.sigqueue(os.getpid(), signal.SIGRTMIN, ctypes.c_void_p(0)) == 0: n += 1
print(n, flush=True)
${hold}`,
    holds: /^10(23|24)$/m, // 1,024 for the user: one can be that of a process which has just ended
  },
  {
    title: "descriptors in flight",
    text: `
pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)]
file = os.eventfd(0)
descriptors = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file] * 250))]
try:
    while True:
        try: pairs[-1][0].sendmsg([b"x"], descriptors, socket.MSG_DONTWAIT)
        except BlockingIOError: pairs.append(socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
except OSError as error: print(error.strerror, flush=True)
${hold}`,
    holds: /(Too many references|Too many open files)/,
  },
];
