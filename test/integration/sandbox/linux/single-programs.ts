/**
 * Programs of which each is a call of its own: what they do depends on how the sandbox starts bash and Python, on its
 * standard input, or on processes that outlive the script.
 */
export const singlePrograms: { title: string; language?: "python"; text: string }[] = [
  { title: "exit code of the script", text: "echo before; exit 7; echo after" },
  { title: "exit code of the last command", text: "true; false" },
  { title: "set -e ends the script", text: "set -e\necho a\nfalse\necho b" },
  { title: "a syntax error in a later line", text: "echo first\nif then\n" },
  { title: "an unknown command at the end", text: "echo a\nno-such-program" },
  { title: "an unset variable under set -u", text: "set -u\necho $nothing" },
  { title: "a script without a line end at its end", text: "echo whole" },
  { title: "a script of comments only", text: "# nothing\n" },
  { title: "an empty script", text: "" },
  { title: "lines that end in CR LF", text: "echo a\r\necho b\r\n" },
  { title: "standard input is empty", text: "cat; echo $?; read -r x; echo $?; wc -c; [ -t 0 ] || echo no terminal" },
  { title: "both outputs keep their order", text: "for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done" },
  { title: "a child's exit by signal", text: "bash -c 'kill -TERM $$'; echo $?; bash -c 'kill -KILL $$' 2>/dev/null" },
  { title: "the script ends itself by SIGTERM", text: "echo a; kill -TERM $$; echo b" },
  { title: "the script ends itself by SIGKILL", text: "echo a; kill -KILL $$; echo b" },
  { title: "the script ends itself by SIGSEGV", text: "kill -SEGV $$" },
  { title: "a trap for EXIT runs", text: "trap 'echo bye; exit 3' EXIT; echo hi; exit 1" },
  { title: "SIGPIPE ends a writer", text: "yes | head -1; echo ${PIPESTATUS[0]}; seq 1000000 | sed 1q" },
  {
    title: "SIGPIPE has its default action",
    text: "python3 -c 'import signal; print(signal.getsignal(signal.SIGPIPE))'; trap -p",
  },
  { title: "no signal is blocked or ignored", text: "grep -E '^Sig(Blk|Ign)' /proc/self/status" },
  {
    title: "only the three standard descriptors are open",
    text: 'python3 -c \'import os; print(sorted(int(f) for f in os.listdir("/proc/self/fd"))[:3], len(os.listdir("/proc/self/fd")))\'',
  },
  { title: "background work that is waited for", text: "(sleep 0.1; echo late) & echo early; wait" },
  { title: "a line without an end", text: "printf 'no end'" },
  { title: "blank lines at the start and the end", text: "printf '\\n\\n  x  \\n\\n'" },
  { title: "the script reads itself by $0", text: 'wc -l < "$0"; # one line' },
  { title: "arguments are empty", text: 'echo "$#" "[$*]"' },
  { title: "unicode in the script and in its output", text: 's=\'日本 ü 😀\'; echo "$s" ${#s}; echo "$s" | wc -m' },
  { title: "control characters and colours", text: "printf 'a\\tb\\033[31mred\\033[0m\\rc\\n\\b\\v'" },
  { title: "100,000 lines", text: "seq 100000" },
  { title: "one line of 300,000 characters", text: "head -c 300000 /dev/zero | tr '\\0' x; echo" },
  {
    title: "a here-document of 5,000 lines",
    text: `cat <<'E' | md5sum\n${Array.from({ length: 5_000 }, (_, n) => `line ${n} $x`).join("\n")}\nE`,
  },
  {
    title: "Python: prints and exits",
    language: "python",
    text: "import sys\nprint('a')\nprint('b', file=sys.stderr)\nsys.exit(4)",
  },
  { title: "Python: an exception", language: "python", text: "def f():\n    raise KeyError('ü')\nf()" },
  { title: "Python: a syntax error", language: "python", text: "x = (1,\nprint(x" },
  { title: "Python: os._exit", language: "python", text: "import os\nprint('lost or not', flush=True)\nos._exit(9)" },
  {
    title: "Python: sys.argv and __name__",
    language: "python",
    text: "import sys\nprint(len(sys.argv), __name__, sys.stdin.read() == '', sys.flags.utf8_mode >= 0)",
  },
  {
    title: "Python: imports a module that it wrote",
    language: "python",
    text: "open('mine.py', 'w').write('x = 5')\nimport importlib, sys\nimportlib.invalidate_caches()\nimport mine\nprint(mine.x)",
  },
  {
    title: "Python: multiprocessing",
    language: "python",
    text: "import multiprocessing as m\nif __name__ == '__main__':\n    with m.Pool(2) as p: print(p.map(abs, [-1, -2]))\n    q = m.Queue(); q.put(1); print(q.get())",
  },
  {
    title: "Python: ends by a signal",
    language: "python",
    text: "import os, signal\nos.kill(os.getpid(), signal.SIGUSR1)",
  },
];
