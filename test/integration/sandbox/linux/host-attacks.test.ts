import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { contentName } from "../../../../src/filenames.ts";
import { openEngine, reasonToSkip, type TestProgram } from "./engine.ts";

const engine = await openEngine();
/** As a secret of the service: programs must not find it anywhere. */
const secret = `secret-${randomUUID()}`;
process.env["AGENT_TEST_SECRET"] = secret;

afterAll(() => {
  delete process.env["AGENT_TEST_SECRET"];
  if ("close" in engine) engine.close();
});

function run(program: TestProgram) {
  if ("unavailable" in engine) throw new Error(engine.unavailable);
  return engine.run(program);
}

const folder = "unavailable" in engine ? "" : engine.folder;

/** Ids of all processes with the lines of their status. One that ends meanwhile is left out. */
function processes(): { pid: number; name: string; parent: number; users: number[]; command: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, "utf8");
        const line = (key: string) => new RegExp(`^${key}:\\s+(.*)$`, "m").exec(status)?.[1] ?? "";
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        const users = line("Uid").split("\t").map(Number);
        return [{ pid: Number(pid), name: line("Name"), parent: Number(line("PPid")), users, command }];
      } catch {
        return [];
      }
    });
}

/** Those that this process started, directly or not. */
function descendants(of: number = process.pid): ReturnType<typeof processes> {
  const all = processes();
  const below = (pid: number): typeof all =>
    all.filter(({ parent }) => parent === pid).flatMap((each) => [each].concat(below(each.pid)));
  return below(of);
}

/** Writes to every folder that it can write to, while another one does the same. */
const writer = (n: number): TestProgram => ({
  runId: `race-${n}`,
  files: { "shared.txt": `${n}\n` },
  text: `for i in {1..30}; do echo ${n} >> shared.txt; echo ${n} > /tmp/x; echo ${n} > /dev/shm/x; sleep 0.01; [ "$(cat /tmp/x /dev/shm/x | sort -u)" = ${n} ] || echo mixed; done; sort -u shared.txt | tail -1; ls /tmp | wc -l`,
});

describe.skipIf("unavailable" in engine)(`the host of bubblewrap${reasonToSkip(engine)}`, () => {
  it("never runs bubblewrap or a program as root", async () => {
    const running = run({ text: "echo started; sleep 1; id -u", onOutput: () => (seen ??= descendants()) });
    let seen: ReturnType<typeof descendants> | undefined;
    expect((await running).output).toBe("started\n65534\n");
    const ofProgram = seen?.filter(({ name }) => ["bwrap", "bash", "sleep"].includes(name)) ?? [];
    expect(ofProgram.map(({ name }) => name)).toEqual(expect.arrayContaining(["bwrap", "bash"]));
    for (const { name, users } of ofProgram) expect([name, users.includes(0)]).toEqual([name, false]);
  });

  it("gives runs at the same time different users, unless the service has one only", async () => {
    const users = new Set<number>();
    const look = () => {
      for (const { name, users: found } of descendants()) if (name === "bwrap") users.add(found[0] ?? 0);
    };
    const one = (runId: string) => run({ text: "echo x; sleep 0.5; echo y", runId, onOutput: look });
    await Promise.all([one("run-a"), one("run-b")]);
    expect(users.size).toBe("bubblewrap" in engine && engine.bubblewrap.users === "shared" ? 1 : 2);
    expect(users.has(process.getuid?.() ?? 0)).toBe(users.size === 1);
  });

  it.runIf(process.env["SUBUID"])("gives programs users of its range in /etc/subuid, or its own", () => {
    expect(engine).toMatchObject({ bubblewrap: { users: process.env["SUBUID"] === "range" ? "range" : "shared" } });
  });

  it("has no process of a program after its call", async () => {
    const name = `left-${randomUUID()}`;
    const text = `(exec -a ${name} sleep 1000) & (setsid bash -c 'trap "" TERM HUP; exec -a ${name} sleep 1000' &) ; sleep 0.2; echo end`;
    expect((await run({ text })).output).toBe("end\n");
    expect(processes().filter(({ command }) => command.includes(name))).toEqual([]);
  });

  it.each([
    ["its time limit", { seconds: 1 }],
    ["an abort", { signal: AbortSignal.timeout(500) }],
  ])("has no process of a program after %s", async (_, end) => {
    const name = `left-${randomUUID()}`;
    const text = `trap '' TERM HUP INT; (setsid bash -c 'trap "" TERM; exec -a ${name} sleep 1000' &); exec -a ${name} sleep 1000`;
    await run({ text, ...end }).catch(() => {});
    await expect.poll(() => processes().filter(({ command }) => command.includes(name))).toEqual([]);
  });

  it("rejects with the reason of an abort", async () => {
    const controller = new AbortController();
    const running = run({ text: "sleep 100", signal: controller.signal });
    setTimeout(() => controller.abort(new Error("cancelled")), 200);
    await expect(running).rejects.toThrow("cancelled");
    expect((await run({ text: "echo next" })).output).toBe("next\n");
  });

  it("does not start a program for a call that is already aborted", async () => {
    await expect(run({ text: "echo x", signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow("before");
  });

  it("cannot be reached over the loopback or an abstract name", async () => {
    let connections = 0;
    const name = `agent-${randomUUID()}`;
    const path = join("/tmp", name);
    const servers = [{ port: 0, host: "127.0.0.1" }, { port: 0, host: "::1" }, { path: `\0${name}` }, { path }].map(
      (where) => {
        const server = createServer((socket) => socket.end("reached"));
        server.on("connection", () => connections++);
        server.on("error", () => {}); // a machine without IPv6
        return {
          server,
          listening: new Promise((resolve) => server.listen(where, () => resolve(0)).once("error", resolve)),
        };
      },
    );
    await Promise.all(servers.map(({ listening }) => listening));
    const ports = servers.flatMap(({ server }) => {
      const address = server.address();
      return address !== null && typeof address === "object" ? [address.port] : [];
    });
    const { output } = await run({
      language: "python",
      text: `import errno, socket
def attempt(family, address):
    try:
        s = socket.socket(family); s.settimeout(2); s.connect(address); print("CONNECTED", address)
    except OSError as error: print(errno.errorcode.get(error.errno))
for port in ${JSON.stringify(ports)}:
    for host in ("127.0.0.1", "0.0.0.0", "127.1.2.3"): attempt(socket.AF_INET, (host, port))
    attempt(socket.AF_INET6, ("::1", port)); attempt(socket.AF_INET6, ("::ffff:127.0.0.1", port))
attempt(socket.AF_UNIX, "\\0${name}")
attempt(socket.AF_UNIX, "${path}")`,
    });
    for (const { server } of servers) server.close();
    expect(output).not.toContain("CONNECTED");
    expect(output).toContain("ECONNREFUSED");
    expect(connections).toBe(0);
  });

  it("shows its process, its variables and its folders nowhere", async () => {
    const file = `private-${randomUUID()}.txt`;
    const host = mkdtempSync(join(tmpdir(), "private-"));
    writeFileSync(join(host, file), secret);
    mkdirSync(join(folder, "other-run"), { recursive: true });
    writeFileSync(join(folder, "other-run", file), secret);
    const text = `
find / -name '${file}' 2>/dev/null
for f in '${host}' '${join(folder, "other-run")}' '${folder}' '${process.cwd()}' /proc/${process.pid}; do ls -d "$f" 2>/dev/null; ls "/proc/1/root$f" 2>/dev/null; done
kill -0 ${process.pid} 2>/dev/null && echo signalled
grep -rs '${secret.slice(0, -4)}''${secret.slice(-4)}' /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/self/mountinfo /tmp /dev/shm /run /etc 2>/dev/null
env | grep -c AGENT_TEST; echo end`;
    expect((await run({ text })).output).toBe("0\nend\n");
  });

  it("keeps the files of two programs at the same time apart", async () => {
    const results = await Promise.all([1, 2, 3, 4].map((n) => run(writer(n))));
    expect(results.map(({ output }) => output)).toEqual(["1\n1\n", "2\n1\n", "3\n1\n", "4\n1\n"]);
  });

  it("gives two programs of one run the files of their own step", async () => {
    const results = await Promise.all([
      run({ files: { "f.txt": "one" }, text: "sleep 0.3; cat f.txt; echo -n changed > f.txt" }),
      run({ files: { "f.txt": "two" }, text: "cat f.txt; rm f.txt; sleep 0.3" }),
    ]);
    expect(results.map(({ output, changed, deleted }) => [output, changed.length, deleted])).toEqual([
      ["one", 1, []],
      ["two", 0, ["f.txt"]],
    ]);
  });

  it("keeps stored contents as they were", async () => {
    const content = "stored ".repeat(1_000);
    const text = `echo more >> a; : > b; sed -i s/stored/broken/ c; chmod 777 d; python3 -c '
import mmap
f = open("e", "r+b"); m = mmap.mmap(f.fileno(), 0); m[0:6] = b"broken"; m.flush()'; dd if=/dev/zero of=f bs=1 count=9 conv=notrunc status=none; ln g h; echo x >> h; rm i; truncate -s 1 j; echo end`;
    const names = ["a", "b", "c", "d", "e", "f", "g", "i", "j"];
    const files = Object.fromEntries(names.map((name) => [name, `${name} ${content}`]));
    const before = await run({ text: "echo end", files });
    expect(before.changed).toEqual([]);
    const result = await run({ text, files });
    expect(result.output).toBe("end\n");
    expect(result.changed.map(({ name }) => name).toSorted()).toEqual(["a", "b", "c", "d", "e", "f", "g", "h", "j"]);
    expect(result.deleted).toEqual(["i"]);
    const again = await run({ text: "cat a b c d e f g i j | sha256sum", files });
    const expected = createHash("sha256").update(names.map((name) => files[name]).join(""));
    expect(again.output).toBe(`${expected.digest("hex")}  -\n`);
  });

  it("stores what a program wrote under the hash of its content", async () => {
    const { changed } = await run({ text: "printf hello > a.txt; mkdir d; printf hello > d/b.txt", runId: "hash" });
    expect(changed.map(({ name }) => name).toSorted()).toEqual(["a.txt", "d", "d/b.txt"]);
    const stored = contentName(changed[0]?.sha256 ?? "");
    expect(readFileSync(join(folder, "hash", stored), "utf8")).toBe("hello");
  });

  it("has no files of a program beside the contents after its call", async () => {
    await run({ text: "mkdir -p a/b; chmod 000 a; echo x > c; chmod 000 c", runId: "clean" });
    await expect.poll(() => readdirSync(folder).filter((name) => name.startsWith(".partial-"))).toEqual([]);
  });

  it("gets output while it is written, and whole characters", async () => {
    const parts: string[] = [];
    const text = "printf 'one\\n'; sleep 0.3; printf '\\xc3'; sleep 0.3; printf '\\xbc two\\n'";
    const { output } = await run({ text, onOutput: (part) => parts.push(part) });
    expect(output).toBe("one\nü two\n");
    expect(parts[0]).toBe("one\n");
    expect(parts.join("")).toBe(output);
    expect(parts.length).toBeGreaterThan(1);
  });

  it("stops a program at its time limit, keeps its output and saves nothing", async () => {
    const result = await run({ text: "echo x > f; echo shown; sleep 100", seconds: 1 });
    expect(result).toMatchObject({ output: "shown\n", changed: [], deleted: [] });
    expect(result.exitCode).toBeUndefined();
    expect(result.problem).toContain("1 second");
  });

  it("saves the files of a program that fails", async () => {
    const result = await run({ text: "echo x > f; exit 3" });
    expect(result).toMatchObject({ exitCode: 3 });
    expect(result.problem).toContain("3");
    expect(result.changed.map(({ name }) => name)).toEqual(["f"]);
  });

  it("works with a workspace of 2,000 files in folders", async () => {
    const files = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`d${n % 50}/f${n}.txt`, String(n)]));
    const result = await run({
      text: "find . -type f | wc -l; rm d1/*; cat d7/f7.txt; echo; echo new > d7/f7.txt",
      files,
    });
    expect(result.output).toBe("2000\n7\n");
    expect(result.deleted).toHaveLength(40);
    expect(result.changed.map(({ name }) => name)).toEqual(["d1", "d7/f7.txt"]);
  });

  it("names what is above the limit of files, and deletes nothing by it", async () => {
    const files = Object.fromEntries(Array.from({ length: 1_990 }, (_, n) => [`f${n}`, String(n)]));
    const result = await run({ text: "for i in {1..50}; do echo x > new$i; done; echo x > a-first", files });
    expect(result.deleted).toEqual([]);
    expect(result.notes.join("\n")).toContain("2000");
    expect(result.changed.length + 1_990).toBeLessThanOrEqual(2_000);
  });
});
