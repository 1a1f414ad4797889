import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { LinuxResult } from "../../../../../src/sandbox/linux/linux-types.ts";
import { type Attack, python, shell } from "./attacks.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Expects exactly these changes beside those of folders. `changed`: text by name, or the target of a link. */
function changes(changed: Record<string, string>, deleted: string[] = []) {
  return (result: LinuxResult): void => {
    const files = result.changed.filter(({ kind }) => kind !== "folder");
    const found = Object.fromEntries(files.map((file) => [file.name, file.sha256]));
    expect(found).toEqual(Object.fromEntries(Object.entries(changed).map(([name, text]) => [name, sha256(text)])));
    expect(result.deleted.toSorted()).toEqual(deleted.toSorted());
  };
}

/** Expects no changes, and a note that names what was not saved. */
const notSaved =
  (...names: string[]) =>
  (result: LinuxResult): void => {
    changes({})(result);
    for (const name of names) expect(result.notes.join("\n")).toContain(name);
  };

const folders = [
  "/",
  "/usr",
  "/usr/bin",
  "/usr/lib",
  "/etc",
  "/bin",
  "/dev",
  "/proc",
  "/run",
  "/var",
  "/usr/local",
  "/opt",
  "/home",
  "/root",
];

/** Attacks on files outside of the workspace, and on what the service reads after the program. */
export const files: Attack[] = [
  {
    ...python(
      "nothing outside of the workspace and the temporary folders can be written",
      `
for folder in ${JSON.stringify(folders)}:
    try: open(folder + "/evil", "w").write("x"); print(folder, "WRITTEN")
    except OSError: pass
for folder, names, _ in os.walk("/"):
    if folder.startswith(("/work", "/tmp", "/dev/shm", "/proc", "/var/tmp", "/dev/pts")): names.clear(); continue # the terminals of /dev/pts cannot have other files
    if os.access(folder, os.W_OK): print(folder, "WRITABLE")
print("end")`,
      "end",
    ),
    check: changes({}),
  },
  shell(
    "programs and libraries of the environment cannot be changed, moved or deleted",
    `for f in /usr/bin/bash /usr/bin/env /etc/passwd /etc/ld.so.cache; do [ -e $f ] || continue
(echo x >>$f) 2>/dev/null && echo appended; rm -f $f 2>/dev/null && echo removed; mv $f /tmp/ 2>/dev/null && echo moved; chmod 777 $f 2>/dev/null && echo mode; touch $f 2>/dev/null && echo touched; ln $f /tmp/link 2>/dev/null && echo linked; truncate -s 0 $f 2>/dev/null && echo truncated; chown 65534 $f 2>/dev/null && echo owner; done; echo end`,
    "end",
  ),
  {
    ...shell(
      "other folders of the host are not there",
      "ls -A /home /root /mnt /media /srv /boot /var/lib /var/log /lost+found 2>/dev/null | grep -v ':$' | grep . ; ls /; echo end",
    ),
    output: /^((bin|dev|etc|lib|lib32|lib64|libx32|proc|run|sbin|tmp|usr|var|work)\n)+end\n$/,
  },
  shell(
    "password hashes and keys of the host are not readable",
    "cat /etc/shadow /etc/gshadow /etc/ssh/ssh_host* /etc/ssl/private/* /root/.ssh/* 2>/dev/null; echo end",
    "end",
  ),
  {
    ...shell(
      "symbolic links out of the workspace are not followed",
      "ln -s /etc/passwd a.txt; ln -s /proc/self/environ b.txt; ln -s / root; ln -s ../../../../etc up; echo end",
      "end",
    ),
    check: notSaved("a.txt", "b.txt", "root", "up"),
  },
  {
    ...shell(
      "a file that is replaced by a link is deleted, not read through it",
      "rm in.txt; ln -s /etc/passwd in.txt; echo end",
      "end",
    ),
    files: { "in.txt": "text" },
    check: (result) => {
      changes({}, ["in.txt"])(result);
      expect(result.notes.join("\n")).toContain("in.txt");
    },
  },
  {
    ...shell(
      "a folder that is replaced by a link is not read through it",
      "rm -r d; ln -s /etc d; ln -s /usr/share/zoneinfo e; echo end",
      "end",
    ),
    files: { "d/passwd": "mine", "d/e/hosts": "mine" },
    check: changes({}, ["d/passwd", "d/e/hosts"]),
  },
  {
    ...shell(
      "a link inside of the workspace is saved as a link",
      "echo x > real; ln -s real soft; mkdir d; ln -s d soft-folder; echo end",
      "end",
    ),
    check: changes({ real: "x\n", soft: "real", "soft-folder": "d" }),
  },
  {
    ...shell(
      "links to themselves do not stop the service",
      "ln -s loop loop; ln -s b a; ln -s a b; ln -s . here; echo end",
      "end",
    ),
    check: changes({ loop: "loop", b: "a", a: "b", here: "." }),
  },
  {
    ...shell(
      "hard links to files of the environment cannot be made",
      "ln /etc/passwd p 2>/dev/null && echo made; ln /usr/bin/id id 2>/dev/null && echo made; ln /proc/self/environ e 2>/dev/null && echo made; echo end",
      "end",
    ),
    check: changes({}),
  },
  {
    ...shell(
      "hard links in the workspace become files of their own",
      "echo x > a; ln a b; ln in.txt c; echo more >> c; echo end",
      "end",
    ),
    files: { "in.txt": "text\n" },
    // The link to a file of the workspace is one with it, so both change.
    check: changes({ a: "x\n", b: "x\n", c: "text\nmore\n", "in.txt": "text\nmore\n" }),
  },
  {
    ...python(
      "pipes and sockets that it leaves are not opened",
      `
import socket
os.mkfifo("pipe"); os.mkfifo("in.txt2"); s = socket.socket(socket.AF_UNIX); s.bind("socket"); s.listen()
print("end")`,
      "end",
    ),
    check: notSaved("pipe", "in.txt2", "socket"),
  },
  {
    ...shell("a pipe in the place of a file does not block the service", "rm in.txt; mkfifo in.txt; echo end", "end"),
    files: { "in.txt": "text" },
    check: (result) => expect(result.changed).toEqual([]),
  },
  {
    ...python(
      "hostile names are refused or kept as they are",
      `
good = ["-rf", " lead", "a b", "x" * 255, "ü" * 127, "q'\\"q", "$(id)", "a;b", "#", "~", "*", "é", "e\\u0301"]
for name in good: open(name, "w").write("x")
for name in (b"line\\nend", b"tab\\there", b"not-\\xff-utf8", b"esc\\x1b[31m", b"del\\x7f"): open(os.path.join(b".", name), "w").write("x")
print("end")`,
      "end",
    ),
    check: (result) => {
      // Which names are accepted is the rule of the workspace; here: no other file appears, and none is silently lost.
      for (const { name, sha256: content } of result.changed) expect([name, content]).toEqual([name, sha256("x")]);
      const names = result.changed.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["a b", "-rf", "é"]));
      for (const name of names) expect(name).not.toMatch(/[\u0000-\u001F\u007F\uFFFD]/);
      expect(result.notes.join("\n")).toContain("not-");
    },
  },
  {
    ...python(
      "names that would leave the workspace cannot be made",
      `
for name in ("..", ".", "a/../../x", "/work/../evil", "x" * 256, "a\\0b"):
    try: open(name, "w").write("x"); print(repr(name[:9]), "WRITTEN")
    except (OSError, ValueError): pass
print("end")`,
      "end",
    ),
    check: changes({}),
  },
  {
    ...shell(
      "names that differ in case only are two files",
      "echo 1 > Data.csv; echo 2 > data.csv; echo 3 > DATA.CSV; echo end",
      "end",
    ),
    check: changes({ "Data.csv": "1\n", "data.csv": "2\n", "DATA.CSV": "3\n" }),
  },
  {
    ...python(
      "a folder that is 3,000 levels deep does not stop the service",
      `
for n in range(3000): os.mkdir("d"); os.chdir("d")
open("deep.txt", "w").write("x"); print("end")`,
      "end",
    ),
    check: (result) => expect(result.notes.length).toBeGreaterThan(0),
  },
  {
    ...python(
      "a path longer than the limit of the kernel is not saved",
      `
for n in range(40): os.mkdir("x" * 250); os.chdir("x" * 250)
open("f", "w").write("x"); print("end")`,
      "end",
    ),
    check: (result) => {
      changes({})(result);
      expect(result.notes.length).toBeGreaterThan(0);
    },
  },
  {
    ...shell(
      "files in folders are saved by their paths",
      "mkdir -p a/b/c; echo 1 > a/b/c/d.txt; mv in.txt a/moved.txt; mkdir empty; echo end",
      "end",
    ),
    files: { "in.txt": "text" },
    check: changes({ "a/b/c/d.txt": "1\n", "a/moved.txt": "text" }, ["in.txt"]),
  },
  {
    ...shell("a folder that is renamed moves all of its files", "mv d e; echo end", "end"),
    files: { "d/1": "one", "d/f/2": "two", keep: "k" },
    check: changes({ "e/1": "one", "e/f/2": "two" }, ["d/1", "d/f/2"]),
  },
  {
    ...shell(
      "a file can become a folder and a folder a file",
      "rm a; mkdir a; echo x > a/b; rm -r d; echo y > d; echo end",
      "end",
    ),
    files: { a: "1", "d/e": "2" },
    check: changes({ "a/b": "x\n", d: "y\n" }, ["a", "d/e"]),
  },
  {
    ...shell(
      "a folder that is deleted and made again has only its new files",
      "rm -r d; mkdir d; echo new > d/new; echo end",
      "end",
    ),
    files: { "d/old": "old", "d/older": "older" },
    check: changes({ "d/new": "new\n" }, ["d/old", "d/older"]),
  },
  {
    ...shell("everything can be deleted", "rm -rf ./* ; ls -A; echo end", "end"),
    files: { a: "1", "b/c": "2", "b/d/e": "3" },
    check: changes({}, ["a", "b/c", "b/d/e"]),
  },
  {
    ...shell(
      "files that were only touched or given another mode keep their content",
      "cat a >/dev/null; touch a; chmod 600 b/c; touch -d 2001-01-01 b/c; cp a x; mv x a; echo end",
      "end",
    ),
    files: { a: "1", "b/c": "2" },
    check: (result) => {
      changes({ a: "1", "b/c": "2" })(result);
      expect(result.changed.find(({ name }) => name === "b/c")).toMatchObject({
        mode: 0o600,
        mtime: 978_307_200_000_000,
      });
    },
  },
  {
    ...python(
      "a change that keeps size and time is found",
      `
s = os.stat("a"); f = open("a", "r+"); f.write("2"); f.close(); os.utime("a", ns=(s.st_atime_ns, s.st_mtime_ns)); print("end")`,
      "end",
    ),
    files: { a: "1" },
    check: changes({ a: "2" }),
  },
  {
    ...python(
      "a change through mapped memory is found, and only the workspace's file changes",
      `
import mmap
f = open("a", "r+b"); m = mmap.mmap(f.fileno(), 0); m[0:4] = b"EVIL"; m.flush(); print(m[:8])
g = open("b", "r+b"); n = mmap.mmap(g.fileno(), 0); n[0:1] = b"Z"; g.close(); os._exit(0) if print("end", flush=True) is None else 0`,
      "b'EVIL0000'",
      "end",
    ),
    files: { a: "0".repeat(8), b: "0".repeat(8) },
    check: changes({ a: "EVIL0000", b: "Z0000000" }),
  },
  {
    ...shell(
      "files that it made unreadable are saved",
      "echo x > secret; chmod 000 secret; mkdir closed; echo y > closed/f; chmod 000 closed in.txt; echo end",
      "end",
    ),
    files: { "in.txt": "text" },
    check: changes({ secret: "x\n", "closed/f": "y\n", "in.txt": "text" }),
  },
  {
    ...python(
      "a sparse file of 1 TB is not saved, or cannot be made",
      `
try: os.truncate(os.open("big", os.O_RDWR | os.O_CREAT), 2**40); print("made")
except OSError as error: print("refused")`,
    ),
    output: /^(made|refused)\n$/,
    check: (result) => expect(result.changed.every(({ size }) => size === 0)).toBe(true),
  },
  {
    ...shell(
      "a sparse file above the size limit is not saved",
      "(truncate -s 300M big) 2>/dev/null; echo x > small; echo end",
    ),
    output: /end\n$/, // bash may report the signal for files that are too large
    check: (result) => {
      expect(result.changed.map(({ name }) => name)).toContain("small");
      expect(result.changed.every(({ size }) => size < 210_000_000)).toBe(true);
    },
  },
  {
    ...shell(
      "a file with the setuid bit is saved as bytes",
      "cp /usr/bin/true t; chmod 6777 t; stat -c %s t >/dev/null; echo end",
      "end",
    ),
    check: (result) => expect(result.changed.map(({ name }) => name)).toEqual(["t"]),
  },
  {
    ...shell(
      "white-outs and attributes of overlays cannot be forged",
      `
mknod w c 0 0 2>/dev/null && echo device; mkdir d; touch f
for n in trusted.overlay.opaque trusted.overlay.redirect user.overlay.opaque security.capability trusted.x; do
python3 -c "import os, sys
try: os.setxattr('d', '$n', b'y'); print('$n')
except OSError: pass"; done; touch .wh.f .wh..wh..opq; echo end`,
    ),
    // An ordinary user's overlay keeps its marks in user.overlay; it hides those of programs.
    output: /^(device\n)?(user\.overlay\.opaque\n)?end\n$/,
    files: { "d2/kept": "k" },
    check: (result) => expect(result.deleted).toEqual([]),
  },
  shell(
    "files in /tmp do not outlive the call",
    "ls -A /tmp /dev/shm /var/tmp 2>/dev/null | grep -v : | grep .; echo x > /tmp/left; echo x > /dev/shm/left 2>/dev/null; echo end",
    "end",
  ),
  shell(
    "files in /tmp do not outlive the call (again)",
    "ls -A /tmp /dev/shm /var/tmp 2>/dev/null | grep -v : | grep .; echo end",
    "end",
  ),
  {
    ...python(
      "shared memory and queues of the kernel do not outlive the call",
      `
print(syscall(29, 194, 4711, 4096, 0o600) not in ("ENOENT",), syscall(29, 194, 4712, 0, 0), syscall(68, 186, 4711, 0o1600) != "EEXIST")`,
    ),
    output: /^(True|False) (ENOENT|EPERM) True\n$/,
  },
  {
    ...python(
      "shared memory of the call before is not there",
      `print(syscall(29, 194, 4711, 0, 0), syscall(68, 186, 4711, 0))`,
    ),
    output: /^(ENOENT|EPERM) ENOENT\n$/,
  },
  {
    ...shell(
      "mount points and the source of mounts name no private folder",
      "cut -d' ' -f4,5 /proc/self/mountinfo | grep -iE 'workspaces|agent-runs|runs.sqlite|/home/|/root/'; echo end",
      "end",
    ),
  },
];
