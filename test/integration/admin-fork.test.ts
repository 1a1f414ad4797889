import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { main } from "../../bin/admin/main.ts";
import { chatServer, scripted } from "../providers/chat-completions-server.ts";
import { admin, done, fileText, inProcess, rejected } from "./admin.ts";
import { modelAt, newDataDir, type Service, startService } from "./service.ts";

/** Writes the input to a file, then answers with it and the result of the call; in capitals if the instructions say so. */
const works = scripted(({ instructions, input, results }) => {
  if (results.length === 0) return { calls: [["write_file", { name: "a.txt", content: input }]] };
  const text = `${input}: ${results.at(-1)}`;
  return { text: instructions.includes("loud") ? text.toUpperCase() : text };
});

let model: Awaited<ReturnType<typeof chatServer>>;
let service: Service;
let source: string;
const directory = mkdtempSync(join(tmpdir(), "fork-"));
const dataDir = newDataDir();

beforeAll(async () => {
  model = await chatServer(...Array.from({ length: 100 }, () => works));
  service = await startService(dataDir, modelAt(model.baseUrl));
  const definition = { name: "Writer", instructions: "Write.", tools: ["write_file", "read_file"] };
  const agent = await done(dataDir, "agent", "create", "--file", file("agent.json", JSON.stringify(definition)));
  const start = await admin(dataDir, "run", "start", "--agent", agent.id, "--text", "One", "--wait", "--json");
  source = (JSON.parse(start.stdout) as { id: string }).id;
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
  rmSync(dataDir, { recursive: true, force: true });
});

function file(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const fork = (...args: string[]) => admin(dataDir, "run", "fork", source, ...args);
const refused = (...args: string[]) => rejected(dataDir, "run", "fork", source, ...args);

test("a fork continues the record with other instructions, and the run stays as it is", async () => {
  const before = await done(dataDir, "run", "show", source);
  const instructions = file("loud.txt", "Write loud.");
  const { code, stdout, stderr } = await fork("--at", "1.1", "--instructions", instructions, "--yes", "--wait");
  expect([code, stdout]).toEqual([0, "ONE: WROTE A.TXT (3 BYTES).\n"]);
  const [id = ""] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(stderr) ?? [];
  expect(await fileText(dataDir, id, "a.txt")).toBe("One");
  const { stdout: shown } = await admin(dataDir, "run", "show", id);
  expect(shown).toContain(`forked, from run ${source}`);
  expect(await done(dataDir, "run", "show", source)).toEqual(before);
});

test("a fork replaces the input of a turn, or the result of a call", async () => {
  const other = await fork("--at", "1.0", "--text", "Two", "--name", "Second", "--yes", "--wait");
  expect(other.stdout).toBe("Two: Wrote a.txt (3 bytes).\n");
  const result = await fork(
    "--at",
    "1.1",
    "--result",
    `1=${file("result.txt", "The disk is full.")}`,
    "--yes",
    "--wait",
  );
  expect(result.stdout).toBe("One: The disk is full.\n");
});

test("a person at the terminal sees which tools run live, and is asked before", async () => {
  const called = model.received.length;
  const args = ["run", "fork", source, "--at", "1.1", "--data-dir", dataDir];
  const declined = await inProcess(main, args, true, "n");
  expect([declined.code, declined.stderr]).toEqual([
    1,
    "From 1.1 on, these tools run live: write_file, read_file.\nFork the run? [y/N] admin: not forked; no model was called\n",
  ]);
  expect(model.received).toHaveLength(called);
  const accepted = await inProcess(main, [...args, "--tool", "list_files", "--wait"], true, "y");
  expect(accepted.stderr).toContain("these tools run live: list_files.\n");
  expect(accepted.code).toBe(0);
});

test("wrong options are refused with what is accepted", async () => {
  const ok = ["--at", "1.1", "--yes"];
  expect(await refused("--at", "1.1")).toContain("there is no terminal; pass --yes");
  expect(await refused("--at", "2", "--yes")).toContain("expected TURN.STEP, such as 1.3; 2.0 begins turn 2 anew");
  expect(await refused("--at", "7.1", "--yes")).toContain("has no step 7.1: its last turn is 1");
  expect(await refused(...ok, "--version", "1", "--model", "m")).toContain("--version and --model cannot be combined");
  expect(await refused(...ok, "--tool", "fly")).toContain("--tool is \"fly\": input should be 'list_files', ");
  expect(await refused(...ok, "--result", "result.txt")).toContain("expected CALL=FILE, such as 1=result.txt");
  expect(await refused(...ok, "--result", `3=${file("r.txt", "x")}`)).toContain(
    "the calls of step 1.1 are 1 (write_file)",
  );
  expect(await refused(...ok, "--text", "Two")).toContain("1.0; received 1.1");
  expect(await refused("--at", "1.2", "--yes")).toContain("1.2 ended turn 1");
});
