import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { containerErrors, containerOutputs } from "./attacks/container-outputs.ts";
import { describeAttacks } from "./attacks/describe-attacks.ts";
import { openPodman } from "./container-engine.ts";

const podman = await openPodman();
const skipped = "unavailable" in podman;
const reason = skipped ? ` (skipped: ${podman.unavailable})` : "";
const run: Exclude<typeof podman, { unavailable: string }>["run"] = (program) => {
  if ("unavailable" in podman) throw new Error(podman.unavailable);
  return podman.run(program);
};

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

describe.skipIf(skipped)(`programs in podman${reason}`, () => {
  it("see the files of the workspace, and what they change is found", async () => {
    const result = await run({
      text: "cat in.csv; mkdir -p out; tr a-z A-Z < in.csv > out/big.csv; rm old; echo more >> log",
      files: { "in.csv": "a,b\n", old: "x", "d/kept": "k", log: "one\n" },
    });
    expect(result).toMatchObject({ output: "a,b\n", exitCode: 0, deleted: ["old"], notes: [] });
    const mtime = expect.any(Number);
    expect(result.changed.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: "log", size: 9, sha256: hash("one\nmore\n"), mtime },
      { name: "out", size: 0, sha256: hash(""), mtime, kind: "folder" },
      { name: "out/big.csv", size: 4, sha256: hash("A,B\n"), mtime },
    ]);
  });

  it("have a lower priority than the service", async () => {
    expect(await run({ text: "nice" })).toMatchObject({ output: "10\n", exitCode: 0 });
  });

  it("run as nobody, as in bubblewrap", async () => {
    expect(await run({ text: "id -un; whoami" })).toMatchObject({ output: "nobody\nnobody\n", exitCode: 0 });
  });

  it("import modules of the workspace", async () => {
    const files = { "mine.py": "answer = 42\n" };
    const result = await run({ language: "python", text: "import mine; print(mine.answer)", files });
    expect(result).toMatchObject({ output: "42\n", exitCode: 0, changed: [] });
  });

  it.each([
    ["exit 0", 0],
    ["exit 7", 7],
    ["exit 125", 125],
    ["exit 127", 127],
    ["kill -9 $$", 137],
    ["kill -TERM $$", 143],
  ])("%s gives exit code %i and no other output", async (text, exitCode) => {
    const result = await run({ text });
    expect(result).toMatchObject({ output: "", exitCode });
    expect(result.problem === undefined).toBe(exitCode === 0);
  });

  it("print standard output and standard error in the order of writing, while they run", async () => {
    const parts: string[] = [];
    const text = "echo one; echo two >&2; echo three; sleep 1; echo four";
    const { output } = await run({ text, onOutput: (part) => parts.push(part) });
    expect(output).toBe("one\ntwo\nthree\nfour\n");
    expect(parts.join("")).toBe(output);
    expect(parts.length).toBeGreaterThan(1);
  });

  it("are stopped at their time limit, with all of their processes", async () => {
    const result = await run({
      text: "trap '' TERM INT; setsid sleep 1000 & (sleep 1000 &) ; echo on; sleep 1000",
      seconds: 2,
    });
    expect(result.problem).toBe("The program was stopped: it took more than 2 seconds. No files were saved.");
    expect(result.output).toBe("on\n");
    expect("containers" in podman && podman.containers()).toEqual([]);
  });

  it("are stopped when the call is aborted, which rejects with its reason", async () => {
    const abort = new AbortController();
    const reasonOfAbort = new Error("the run was stopped");
    const call = run({ text: "echo on; sleep 1000", signal: abort.signal, onOutput: () => abort.abort(reasonOfAbort) });
    await expect(call).rejects.toBe(reasonOfAbort);
    expect("containers" in podman && podman.containers()).toEqual([]);
  });

  it("are stopped when the call is aborted before their container has started", async () => {
    const abort = new AbortController();
    const call = run({ text: "sleep 1000", signal: abort.signal });
    setTimeout(() => abort.abort(new Error("at once")), 60);
    await expect(call).rejects.toThrow("at once");
    await sleep(500);
    expect("containers" in podman && podman.containers()).toEqual([]);
  });

  it("are stopped when they print too much", async () => {
    const result = await run({ text: "yes" });
    expect(result.problem).toContain("it printed more than 10000000 characters");
    expect(result.output).toHaveLength(10_000_000);
  });

  it("have a limited number of bytes and of files", async () => {
    const text = `for n in {1..8}; do head -c 180M /dev/zero > f$n || break; done 2>&1 | grep -o "No space.*"; rm f*
python3 -c '
import os
n = 0
try:
    while True: open(str(n), "w").close(); n += 1
except OSError as error: print(error.strerror, 45_000 < n <= 50_000)
for name in os.listdir(): os.remove(name)'; echo end`;
    const lines = ["No space left on device", "No space left on device True", "end"];
    expect(await run({ text })).toMatchObject({ output: `${lines.join("\n")}\n`, exitCode: 0, changed: [] });
  });

  it("end when they take too much memory, and the next call works", async () => {
    const result = await run({ language: "python", text: "a = []\nwhile True: a.append(bytearray(50_000_000))" });
    expect(result.exitCode).toBe(137);
    expect(result.problem).toContain("memory");
    expect(existsSync("oom"), "podman's monitor wrote a file into the service's working folder").toBe(false);
    expect(await run({ text: "echo next" })).toMatchObject({ output: "next\n", exitCode: 0 });
  });

  it("leave no processes, files or containers to the next call", async () => {
    await run({
      text: "setsid sleep 1000 & echo x > /tmp/left; echo x > /var/tmp/left; echo x > /dev/shm/left; echo x > kept",
    });
    const { output } = await run({
      text: "ls -A /tmp /var/tmp /dev/shm . | grep -v : | grep .; ps -e | grep -c sleep",
    });
    // That of the container itself, which ends it if the service cannot.
    expect(output).toBe("1\n");
    expect("containers" in podman && podman.containers()).toEqual([]);
  });

  it("of two runs at the same time are different users, who do not see each other", async () => {
    const both = await Promise.all(
      ["first", "second"].map((runId) => run({ runId, text: "id -u; ls; ps -e | wc -l; sleep 1; echo x > file" })),
    );
    expect(new Set(both.map(({ output }) => output.split("\n")[0])).size).toBe(process.getuid?.() === 0 ? 2 : 1);
    for (const { changed } of both) expect(changed.map(({ name }) => name)).toEqual(["file"]);
  });
});

it.skipIf(skipped)("a podman that ignores limits is used without, and the start says so", async () => {
  // As podman describes itself without root and with control groups v1, where it warns and starts without limits.
  const bin = mkdtempSync(join(tmpdir(), "agent-podman-v1-"));
  const wrapper = `#!/bin/sh\ncase "$*" in *Rootless*) echo v1 true;; *) exec /usr/bin/podman "$@";; esac\n`;
  writeFileSync(join(bin, "podman"), wrapper, { mode: 0o755 });
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  const limited = await openPodman().finally(() => vi.unstubAllEnvs());
  expect(limited).toMatchObject({ missing: ["podman cannot limit the memory and the processes of programs here"] });
});

describeAttacks({
  name: "podman",
  unavailable: skipped ? podman.unavailable : undefined,
  run,
  outputs: containerOutputs,
  errors: containerErrors,
});
