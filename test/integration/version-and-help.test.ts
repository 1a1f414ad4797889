import { expect, test } from "vitest";
import packageFile from "../../package.json" with { type: "json" };
import { main } from "../../bin/admin/main.ts";
import { inProcess } from "./admin.ts";
import { type ProcessResult, runScript } from "./script.ts";

/** `admin` in this process, and the other programs each in one of their own. None gets a data directory. */
function run(program: string, args: string[]): Promise<ProcessResult> {
  return program === "admin" ? inProcess(main, args) : runScript(`bin/${program}.ts`, args);
}

/** What a program prints that must succeed. */
async function printed(program: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(program, args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

test.each([
  ["local", ["--version"]],
  ["local", ["--port", "0", "-v"]],
  ["demo", ["--version"]],
  ["admin", ["--version"]],
  ["agent-run-service", ["--version"]],
  ["agent-run-service", ["admin", "-v"]],
])("%s %j prints the version of the package", async (program, args) => {
  expect(await printed(program, ...args)).toBe(`${packageFile.version}\n`);
});

test.each([
  ["local", []],
  ["agent-run-service", []],
  ["admin", []],
  ["admin", ["run"]],
  ["admin", ["run", "start"]],
])("%s help %j prints what --help prints", async (program, names) => {
  const help = await printed(program, "help", ...names);
  expect(help).toMatch(/^Usage: /);
  expect(help).toBe(await printed(program, ...names, "--help"));
});

test("help of the package's other programs follows their name", async () => {
  const help = await printed("agent-run-service", "help", "admin", "run", "start");
  expect(help).toBe(await printed("admin", "run", "start", "--help"));
});

test.each([
  ["admin", ["help", "run", "begin"], 'admin: help: unknown command "begin"; run takes list, waiting, '],
  ["admin", ["help", "run", "start", "x"], 'admin: help: unknown command "x"; run start has no commands'],
  ["local", ["help", "run"], 'npm start: help: unknown command "run"; this program has no commands'],
])("%s %j is refused with the commands that exist", async (program, args, message) => {
  const { code, stdout, stderr } = await run(program, args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(message);
});
