import { describe, expect, it } from "vitest";
import { openTools, reopenTools } from "../../../src/agent/toolbox.ts";
import { builtInTools } from "../../../src/agent/tools/index.ts";
import { offeredTools, type Tool } from "../../../src/agent/tools/tool.ts";
import { sha256Of } from "../../../src/agent/turn/files/manifest.ts";
import type { EnvironmentFacts, Linux, LinuxProgram, LinuxResult } from "../../../src/sandbox/linux/linux-types.ts";
import type { Sandbox, SandboxResult } from "../../../src/sandbox/sandbox-types.ts";
import { openFiles, type Space, spaceOf, textsIn } from "./scripted.ts";

const { signal } = new AbortController();

const facts: EnvironmentFacts = {
  name: "linux",
  digest: `sha256:${"a".repeat(64)}`,
  system: "Debian 13",
  programs: { gawk: "5.2.1", jq: "1.7" },
  python: { version: "3.13.5", libraries: { numpy: "2.2.6", pandas: "2.3.1" } },
};

/** A Linux whose programs end with `result`, and what it was asked to run. */
function linux(result: Partial<LinuxResult> = {}, more: Partial<EnvironmentFacts> = {}) {
  const programs: LinuxProgram[] = [];
  const port: Linux = {
    engine: "bubblewrap",
    facts: { ...facts, ...more },
    async run(program, _signal, onOutput) {
      programs.push(program);
      onOutput?.("written");
      return { output: "", exitCode: 0, changed: [], deleted: [], notes: [], ...result };
    },
  };
  return { port, programs };
}

function sandbox(result: Partial<SandboxResult> = {}): Sandbox {
  return { maxBytes: 1_000_000, run: async () => ({ output: "from WebAssembly", written: [], notes: [], ...result }) };
}

function toolsOf(dependencies: Parameters<typeof builtInTools>[1]): Record<string, Tool> {
  const tools = builtInTools({ tools: ["run_python", "run_shell"] }, dependencies);
  return Object.fromEntries(tools.map((tool) => [tool.definition.name, tool]));
}

/** Calls a tool in a turn with the files of `space`. `texts`: all files after it. */
async function call(tool: Tool | undefined, input: object, space: Space = spaceOf()) {
  const workspace = openFiles(space);
  const files = await workspace.startCall();
  const output = await tool?.run(input, { files, signal });
  await files.end(async () => true);
  return { ...output, texts: await textsIn(space, workspace) };
}

/** A content that an engine has stored. */
function stored(space: Space, name: string, text: string) {
  const sha256 = sha256Of(Buffer.from(text));
  space.contents.set(sha256, Buffer.from(text));
  return { name, size: text.length, sha256 };
}

describe("the definitions", () => {
  it("name the system, the programs and the versions of the environment", () => {
    const { run_python: python, run_shell: shell } = toolsOf({ linux: linux().port, sandbox: sandbox() });
    expect(python?.definition.description).toMatch(/Debian 13.*Python 3\.13\.5 with numpy 2\.2\.6, pandas 2\.3\.1\./);
    expect(shell?.definition.description).toMatch(/Debian 13.*gawk 5\.2\.1, jq 1\.7\..*pandas 2\.3\.1/);
    for (const tool of [python, shell]) expect(Object.keys(tool?.definition.input ?? {})).toContain("properties");
  });

  it("warn of the large integers of mawk where it is the only awk", () => {
    const note = 'awk is mawk: print integers above 2147483647 with "%.0f", not "%d".';
    const { run_shell: withMawk } = toolsOf({ linux: linux({}, { programs: { mawk: "1.3.4" } }).port });
    const { run_shell: withGawk } = toolsOf({ linux: linux().port });
    expect(withMawk?.definition.description).toContain(note);
    expect(withGawk?.definition.description).not.toContain("mawk");
  });

  it("name WebAssembly and what it lacks without Linux, where there is no shell", async () => {
    const { run_python: python, run_shell: shell } = toolsOf({
      linux: { unavailable: "Install bubblewrap." },
      sandbox: sandbox(),
    });
    expect(python?.definition.description).toMatch(/WebAssembly.*standard library only.*sqlite3/);
    expect(shell?.unavailable).toBe("run_shell is not available. Install bubblewrap.");
    expect(await call(shell, { script: "ls" })).toMatchObject({ error: true, text: shell?.unavailable });
    expect(toolsOf({})["run_python"]?.unavailable).toMatch(/without a sandbox/);
  });
});

describe("a program in Linux", () => {
  it("gets the whole workspace, and its changes are saved", async () => {
    const space = spaceOf({ "a.csv": "old", "b.csv": "gone", "reports/c.csv": "same" });
    const { port, programs } = linux({
      output: "done\n",
      changed: [stored(space, "a.csv", "new"), stored(space, "out/d.csv", "1,2")],
      deleted: ["b.csv"],
      notes: ["A link was not saved."],
    });
    const { text, error, texts } = await call(toolsOf({ linux: port })["run_shell"], { script: "make" }, space);
    expect(text).toBe("done\n[A link was not saved.]\n[Wrote a.csv (3 bytes), out/d.csv (3 bytes). Deleted b.csv.]");
    expect(error).toBeUndefined();
    expect(texts).toMatchObject({ "a.csv": "new", "out/d.csv": "1,2", "reports/c.csv": "same" });
    expect(programs).toMatchObject([{ language: "shell", text: "make", seconds: 120 }]);
    expect(programs[0]?.files.map(({ name }) => name)).toEqual(["a.csv", "b.csv", "reports/c.csv"]);
  });

  it("that fails returns its output, what it changed, and its exit code", async () => {
    const space = spaceOf();
    const { port } = linux({ output: "boom", exitCode: 3, changed: [stored(space, "log", "x")] });
    expect(await call(toolsOf({ linux: port })["run_python"], { code: "x" }, space)).toMatchObject({
      error: true,
      text: "boom\n[Wrote log (1 bytes).]\nThe program ended with exit code 3.",
      texts: { log: "x" },
    });
    const stopped = linux({ output: "half", exitCode: 137, problem: "The script was stopped after 5 seconds." });
    expect(await call(toolsOf({ linux: stopped.port })["run_shell"], { script: "x", seconds: 5 })).toMatchObject({
      error: true,
      text: "half\nThe script was stopped after 5 seconds.",
    });
    expect(stopped.programs[0]?.seconds).toBe(5);
  });

  it("that prints nothing and changes nothing says so", async () => {
    expect(await call(toolsOf({ linux: linux().port })["run_shell"], { script: "true" })).toMatchObject({
      text: "The program printed nothing and changed no files.",
    });
  });

  it("can rename a file also in case only, and loses none whose new name cannot be saved", async () => {
    const space = spaceOf({ "A.csv": "1" });
    const renamed = linux({ changed: [stored(space, "a.csv", "1")], deleted: ["A.csv"] });
    expect(await call(toolsOf({ linux: renamed.port })["run_shell"], { script: "mv" }, space)).toMatchObject({
      text: "[Wrote a.csv (1 bytes). Deleted A.csv.]",
    });
    const other = spaceOf({ "A.csv": "1" });
    const refused = linux({ changed: [stored(other, "a\\b", "1")], deleted: ["A.csv"] });
    const { text, texts } = await call(toolsOf({ linux: refused.port })["run_shell"], { script: "mv" }, other);
    expect(text).toMatch(
      /^\["a\\\\b" was not saved\. .*\]\n\[Not deleted, because a file could not be saved: A\.csv\.\]$/,
    );
    expect(texts).toEqual({ "A.csv": "1" });
  });

  it("says when it replaces what another call wrote meanwhile, and does not delete that", async () => {
    const space = spaceOf({ "a.txt": "0", "b.txt": "0" });
    const workspace = openFiles(space);
    const [other, own] = [await workspace.startCall(), await workspace.startCall()];
    await other.update(async () => {
      await other.write("a.txt", Buffer.from("1"));
      await other.write("b.txt", Buffer.from("1"));
    });
    const { port } = linux({ changed: [stored(space, "a.txt", "2")], deleted: ["b.txt"] });
    const output = await toolsOf({ linux: port })["run_shell"]?.run({ script: "x" }, { files: own, signal });
    expect(output?.text.split("\n")).toEqual([
      "[Wrote a.txt (1 bytes).]",
      "[Another call changed them at the same time, and its content was replaced: a.txt.]",
      "[Not deleted, because another call changed them at the same time: b.txt.]",
    ]);
  });

  it("passes on its output while it is written", async () => {
    const seen: string[] = [];
    const files = await openFiles(spaceOf()).startCall();
    const onOutput = (text: string) => void seen.push(text);
    await toolsOf({ linux: linux().port })["run_shell"]?.run({ script: "x" }, { files, signal, onOutput });
    expect(seen).toEqual(["written"]);
  });

  it("may take the seconds of the service's setting, which its description names, unless the model sets others", async () => {
    const { port, programs } = linux();
    for (const defaultProgramSeconds of [120, 300, 600]) {
      const { run_python: python, run_shell: shell } = toolsOf({ linux: port, defaultProgramSeconds });
      await call(python, { code: "1" });
      await call(shell, { script: "1" });
      await call(shell, { script: "1", seconds: 7 });
      expect(programs.splice(0).map(({ seconds }) => seconds)).toEqual([
        defaultProgramSeconds,
        defaultProgramSeconds,
        7,
      ]);
      for (const tool of [python, shell]) {
        expect(tool?.definition.input).toMatchObject({
          properties: {
            seconds: {
              maximum: 600,
              description: expect.stringContaining(`Default: ${defaultProgramSeconds}.`) as string,
            },
          },
        });
      }
    }
  });

  it("accepts no files and no lines, and at most 600 seconds", async () => {
    const { run_python: python, run_shell: shell } = toolsOf({ linux: linux().port });
    for (const [tool, input] of [
      [python, { code: "1", files: ["a"] }],
      [python, { code: "1", lines: "1-2" }],
      [python, { code: "1", seconds: 601 }],
      [shell, { script: "1", files: ["a"] }],
      [shell, {}],
    ] as const) {
      expect(await call(tool, input)).toMatchObject({ error: true, text: expect.stringContaining("Accepted: ") });
    }
  });
});

it("Python in WebAssembly writes into folders and deletes files, and never replaces a part of a file", async () => {
  const space = spaceOf({ "a.csv": "1\n2\n", b: "x" });
  const written = [
    { name: "out/a.csv", content: Buffer.from("1") },
    { name: "a.csv", content: Buffer.from("1") },
  ];
  const { run_python: python } = toolsOf({ sandbox: sandbox({ written, deleted: ["b"] }) });
  const { text, texts } = await call(python, { code: "x", files: ["a.csv"], lines: "1-1" }, space);
  expect(text?.split("\n")).toEqual([
    "from WebAssembly",
    "[The program got lines 1 to 1 of 2 of a.csv.]",
    "[Wrote out/a.csv (1 bytes).]",
    '["a.csv" was not saved. The program got only a part of it. Write to another name.]',
    "[Not deleted, because a file could not be saved: b.]",
  ]);
  expect(texts).toEqual({ "a.csv": "1\n2\n", b: "x", "out/a.csv": "1" });
});

describe("a turn that continues after a restart", () => {
  const agent = { tools: ["run_python", "run_shell"] };
  const dependencies = { readSecret: async () => undefined, sandbox: sandbox() };

  async function reopened(before: object, after: object, name: string) {
    await using first = await openTools(agent, { ...dependencies, ...before }, signal);
    const offered = JSON.parse(JSON.stringify(offeredTools(first.tools))) as ReturnType<typeof offeredTools>;
    await using again = await reopenTools(agent, offered, { ...dependencies, ...after });
    const tool = again.tools.find(({ definition }) => definition.name === name);
    expect(tool?.definition).toEqual(first.tools.find(({ definition }) => definition.name === name)?.definition);
    return call(tool, name === "run_shell" ? { script: "x" } : { code: "x" });
  }

  const inLinux = { linux: linux({ output: "from Linux" }).port };

  it("runs programs in the system that its model was told of", async () => {
    expect(await reopened(inLinux, inLinux, "run_python")).toMatchObject({ text: "from Linux" });
    expect(await reopened({}, {}, "run_python")).toMatchObject({ text: "from WebAssembly" });
  });

  it("runs none in another system, and says why", async () => {
    expect(await reopened(inLinux, {}, "run_python")).toMatchObject({
      error: true,
      text: expect.stringMatching(/^run_python ran in Linux when this turn began; by now it runs in WebAssembly\. /),
    });
    expect(await reopened({}, inLinux, "run_python")).toMatchObject({
      error: true,
      text: expect.stringMatching(/^run_python ran in WebAssembly .* in Linux\. /),
    });
    expect(await reopened(inLinux, {}, "run_shell")).toMatchObject({
      error: true,
      text: expect.stringMatching(/^run_shell is not available\. /),
    });
  });

  it("does not run scripts for the simulated shell of version 0.1", async () => {
    const old = { name: "run_shell", description: "The shell is simulated.", input: { type: "object" } };
    await using again = await reopenTools(agent, [old], { ...dependencies, ...inLinux });
    const output = await call(again.tools[0], { script: "x" });
    expect(output).toMatchObject({ error: true, text: expect.stringMatching(/^run_shell ran in a simulated shell /) });
  });

  it("says when the environment was updated meanwhile", async () => {
    const updated = { linux: linux({ output: "new" }, { digest: `sha256:${"b".repeat(64)}` }).port };
    expect(await reopened(inLinux, updated, "run_python")).toMatchObject({
      text: expect.stringMatching(/^new\n\[The Linux environment was updated/),
    });
  });
});
