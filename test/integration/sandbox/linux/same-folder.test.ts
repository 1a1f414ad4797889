import { afterAll, describe, expect, it } from "vitest";
import { localWorkspace } from "../../../../src/platform/local/workspace.ts";
import { contentKey } from "../../../../src/platform/aws/workspace.ts";
import type { Workspace } from "../../../../src/runs/ports.ts";
import { containerProblem } from "../../../support/environment-container.ts";
import { lambdaLinuxFixture } from "../../../support/lambda-linux.ts";
import { type Calls, callsIn } from "./calls.ts";
import { openPodman } from "./container-engine.ts";
import { openEngine } from "./engine.ts";
import { runOutside } from "./outside.ts";

/**
 * What programs leave to each other: each line is a call. The last one prints the state, and after it the state is read once
 * more, in a call of its own, where no time may differ by a microsecond.
 */
const idioms: { title: string; calls: string[] }[] = [
  {
    title: "files with equal contents",
    calls: ["echo same > a; cp a b; : > c; : > d; mkdir e; cp a e/a", "echo more >> a; gzip -nk b; cp a c"],
  },
  {
    title: "an archive of equal files that is unpacked",
    calls: ["mkdir s; echo x > s/a; echo x > s/b; tar cf t.tar s", "rm -r s; tar xf t.tar; echo y >> s/a; rm t.tar"],
  },
  {
    title: "times that were set, as by touch, cp -p and tar",
    calls: [
      "echo 1 > a; touch -d '2001-02-03 04:05:06.123456' a; mkdir d; cp -p a d/b; touch -d 2002-01-01 d",
      "cp -p d/b c; cat a > /dev/null",
    ],
  },
  {
    title: "permissions",
    calls: [
      "echo 'echo ran' > run.sh; chmod 755 run.sh; echo s > key; chmod 600 key; mkdir -m 700 own; echo r > read; chmod 444 read",
      "./run.sh; chmod 640 key; chmod 755 own",
    ],
  },
  {
    title: "symbolic links",
    calls: [
      "mkdir -p v/1 v/2; echo one > v/1/f; ln -s 1 v/latest; ln -s v/latest/f now; ln -s nowhere broken; ln -s ../now v/up",
      "rm v/latest; ln -s 2 v/latest; cp v/1/f v/2/f; mv broken renamed",
    ],
  },
  {
    title: "hard links",
    calls: ["echo x > a; ln a b; mkdir d; ln a d/c; echo y > e", "echo more >> b; rm a; ln e f", "cat d/c"],
  },
  {
    title: "empty folders, and folders that become empty",
    calls: ["mkdir -p a/b/c d e; echo x > d/f; echo y > e/g", "rm d/f; rmdir a/b/c; mkdir h"],
  },
  {
    title: "dot files and names of every kind",
    calls: [
      "mkdir .git .config; echo 1 > .git/HEAD; echo 2 > .env; echo 3 > 'log_10:00:00.txt'; echo 4 > 'a?b*c'; echo 5 > 'end. '; echo 6 > README; echo 7 > readme; echo 8 > aux.py",
      "mv .env .env.local; cat 'a?b*c' README readme",
    ],
  },
  {
    title: "composed and decomposed letters",
    calls: ["printf x > $'u\\u0308.txt'; printf y > $'\\u00fc.txt'", "cat $'u\\u0308.txt' $'\\u00fc.txt'"],
  },
  {
    title: "renamed files and folders",
    calls: [
      "mkdir -p a/b; echo 1 > a/b/f; echo 2 > a/g; ln -s b/f a/l",
      "python3 -c \"import os; os.rename('a', 'z'); os.rename('z/g', 'h')\"",
      "mv z/b y",
    ],
  },
  {
    title: "files, folders and links in each other's place",
    calls: [
      "mkdir a; echo 1 > a/f; echo 2 > b; ln -s b c",
      "rm -r a; echo file > a; rm b; mkdir b; echo 3 > b/g; rm c; echo 4 > c",
      "rm -r a b c; ln -s x a; mkdir c",
    ],
  },
  {
    title: "a large file that is written to, cut, mapped and linked",
    calls: [
      "python3 -c \"import sys; sys.stdout.write('line of text\\n' * 20000)\" > big; cp big copy; cp big cut; cp big map",
      "printf X | dd of=copy conv=notrunc status=none; truncate -s 70000 cut; python3 -c \"import mmap; f = open('map', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0]; m[0:1] = b'M'\"",
      "ln big other; head -c 5 copy map; sed -i 2d big",
    ],
  },
  {
    title: "sparse files",
    calls: [
      "truncate -s 5M sparse; echo end >> sparse",
      "printf mid | dd of=sparse bs=1 seek=100000 conv=notrunc status=none",
    ],
  },
  {
    title: "sqlite with a journal",
    calls: [
      "python3 -c \"import sqlite3; c = sqlite3.connect('d.db'); c.execute('pragma journal_mode=wal').fetchall(); c.execute('create table t(x)'); c.execute('insert into t values (1)'); c.commit(); c.close()\"",
      "python3 -c \"import sqlite3; c = sqlite3.connect('d.db'); c.execute('insert into t values (2)'); c.commit(); print(c.execute('select * from t').fetchall()); c.close()\"; rm d.db",
    ],
  },
];

/** Kind, permissions, time (if it was set), number of names, inode, size, target and content of everything. */
const state = `import hashlib, os, stat, sys
inodes = {}
for folder, folders, files in os.walk("."):
    folders.sort()
    for name in sorted(folders + files):
        path = os.path.join(folder, name); s = os.lstat(path); m = s.st_mode
        kind = "folder" if stat.S_ISDIR(m) else "link" if stat.S_ISLNK(m) else "file"
        time = s.st_mtime_ns // 1000 if len(sys.argv) > 1 or s.st_mtime < 1.6e9 else "now"
        print(path, kind, kind == "link" or oct(m & 0o7777), time, *([] if kind == "folder" else [s.st_nlink, inodes.setdefault((s.st_dev, s.st_ino), path), s.st_size]),
              os.readlink(path) if kind == "link" else hashlib.sha256(open(path, "rb").read()).hexdigest()[:8] if kind == "file" else "")
`;
const shown = (exact: boolean): string => `python3 - ${exact ? "exact" : ""} <<'END'\n${state}END`;

const engine = await openEngine();
const podman = await openPodman();
const lambda = containerProblem() === undefined ? await lambdaLinuxFixture() : undefined;
afterAll(async () => {
  if ("close" in engine) engine.close();
  await lambda?.[Symbol.asyncDispose]();
});

const objects: Pick<Workspace, "read" | "write" | "remove"> = {
  read: async (runId, sha256) => lambda?.s3.objects.get(contentKey(runId, sha256)),
  write: async (runId, contents) => {
    for (const { sha256, content } of contents) lambda?.s3.objects.set(contentKey(runId, sha256), Buffer.from(content));
  },
  remove: async (runId, sha256s) => {
    for (const sha256 of sha256s) lambda?.s3.objects.delete(contentKey(runId, sha256));
  },
};

const engines: { name: string; isMissing: boolean; open: (runId: string) => Calls }[] = [64 * 2 ** 20, 0].map(
  (copiedBytes) => ({
    name: copiedBytes === 0 ? "bubblewrap with large files in the store" : "bubblewrap",
    isMissing: "unavailable" in engine,
    open(runId) {
      if ("unavailable" in engine) throw new Error(engine.unavailable);
      engine.bubblewrap.copiedBytes = copiedBytes;
      return callsIn(engine.linuxOf(runId), localWorkspace(engine.folder), runId);
    },
  }),
);
engines.push({
  name: "podman",
  isMissing: "unavailable" in podman,
  open(runId) {
    if ("unavailable" in podman) throw new Error(podman.unavailable);
    return callsIn(podman.linuxOf(runId), localWorkspace(podman.folder), runId);
  },
});
engines.push({
  name: "the function of an environment",
  isMissing: lambda === undefined,
  open() {
    if (!lambda) throw new Error("no container");
    return callsIn(lambda.linux, objects as Workspace, "0197a3b2-run");
  },
});

let runs = 0;

describe.each(engines)("the workspace in $name is like an ordinary folder", ({ isMissing, open }) => {
  it.skipIf(isMissing).each(idioms)("$title", async ({ calls }) => {
    if ("unavailable" in engine) return;
    const { sh } = open(`same-${++runs}`);
    const texts: string[] = [];
    const all = [...calls, shown(false)];
    for (const call of all) texts.push((await sh(call)).replace(/^\[(Wrote|Deleted|Changed) .*\]$/gm, "").trim());
    const outside = all.map((call) => `(\n${call}\n)\necho END-OF-CALL`).join("\n");
    const ended = await runOutside(engine.root, { text: `umask 022\n${outside}` });
    const expected = ended.output
      .split("END-OF-CALL\n")
      .slice(0, -1)
      .map((text) => text.trim());
    const silent = "The program printed nothing and changed no files.";
    expect(texts.map((text) => (text === silent ? "" : text))).toEqual(expected);
    expect(await sh(shown(true))).toBe(await sh(shown(true)));
  });
});
