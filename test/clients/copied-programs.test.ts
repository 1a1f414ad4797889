import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Language, languages } from "../../console/programs/languages.ts";
import { environmentFile, firstProgram, programFor, type ShownRun } from "../../console/programs/program.ts";
import { scriptedModel } from "../browser/scripted-model.ts";
import { root } from "../integration/script.ts";
import { finished, modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import { emptyFolder, installPythonClient, installTypescriptClient } from "./installed-clients.ts";

// The programs that the page shows, as a person runs them: in a folder with the files, against a real server.

const hostile = 'It\'s "$HOME" `touch pwned` $(touch pwned) ${x} \\n \\\\ %s é 表 👩‍💻 \u202e … <b>&\nEND\nJSON\n"""\n';
/** As the page gets them, and as they are on the disk. */
const fileNames = [
  ["q3 'final' $HOME \"x\".csv", "q3 'final' $HOME \"x\".csv"],
  ["-rf.txt", "-rf.txt"],
  ["$(touch pwned) `touch pwned`;&.txt", "$(touch pwned) `touch pwned`;&.txt"],
  ["é 表.txt", "é 表.txt"],
  ["a\nJSON\ntouch pwned", "aJSONtouch pwned"],
] as const;

let model: Awaited<ReturnType<typeof scriptedModel>>;
let service: Service;
let project: string;
let pythonPath: string;

beforeAll(async () => {
  model = await scriptedModel((input) => {
    if (input.startsWith("Third")) return { text: "Third answer" };
    return { text: input.startsWith("Second") ? "Second answer" : "First answer" };
  });
  service = await startService(newDataDir(), modelAt(model.baseUrl));
  project = emptyFolder();
  await installTypescriptClient(project);
  pythonPath = dirname(await installPythonClient(project));
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await model?.close();
});

interface Ran {
  stdout: string;
  folder: string;
}

/** Runs a program in a folder with the files. `environment`: variables besides PATH and HOME. */
async function ran(language: Language, program: string, environment: Record<string, string>): Promise<Ran> {
  const folder = mkdtempSync(join(project, "reader-"));
  for (const [, name] of fileNames) writeFileSync(join(folder, name), `content of ${name}`);
  const [command, name] = {
    typescript: [process.execPath, "program.mjs"],
    python: ["python", "program.py"],
    curl: ["sh", "program.sh"],
    v1: ["sh", "program.sh"],
    cli: ["sh", "program.sh"],
  }[language] as [string, string];
  writeFileSync(join(folder, name), program);
  const path = [pythonPath, dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const env = { PATH: path, HOME: tmpdir(), ...environment };
  const { stdout, stderr } = await promisify(execFile)(command, [name], { cwd: folder, env });
  // The CLI names the run that it waits for.
  expect(stderr).toMatch(language === "cli" ? /^(Run [0-9a-f-]{36} started\.\n)?$/ : /^$/);
  expect(existsSync(join(folder, "pwned"))).toBe(false);
  return { stdout, folder };
}

/** The run that a program started, as the service has it when it is finished. */
async function startedRun(): Promise<{ name: string; inputs: string[]; files: Record<string, string> }> {
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const get = (path: string): Promise<Response> => fetch(`${service.baseUrl}/ext/v1/runs${path}`, { headers });
  const { data } = (await (await get("?limit=1")).json()) as { data: { id: string; name: string }[] };
  const { id, name } = data[0] ?? { id: "", name: "" };
  const { transcript } = await finished(service, id);
  const inputs = transcript.filter(({ role }) => role === "input_to_agent").map(({ text }) => text);
  const { data: listed } = (await (await get(`/${id}/files`)).json()) as { data: { name: string }[] };
  const contents = listed.map(async (file): Promise<[string, string]> => [
    file.name,
    await (await get(`/${id}/files/${encodeURIComponent(file.name)}`)).text(),
  ]);
  return { name, inputs, files: Object.fromEntries(await Promise.all(contents)) };
}

const shown = (more: Partial<ShownRun>): ShownRun => ({
  name: hostile.slice(0, 60).trim(),
  agentId: service.templateId,
  input: hostile,
  nextInputs: [],
  files: fileNames.map(([name]) => name),
  serviceUrl: service.baseUrl,
  adminCommand: `${process.execPath} ${join(root, "bin/admin.ts")} --data-dir ${service.dataDir}`,
  ...more,
});

const everyLanguage = languages.map(([language]) => language);

describe.each(everyLanguage)("the copied %s program", (language) => {
  const key = (): Record<string, string> => (language === "cli" ? {} : { AGENT_RUN_KEY: service.apiKey });

  test("starts the same run, with every character of its input and its files", async () => {
    const run = shown({});
    const { stdout } = await ran(language, programFor(language, run), key());
    const { name, inputs, files } = await startedRun();
    expect({ name, inputs }).toEqual({ name: run.name, inputs: [hostile] });
    // The service stores a double quote in a file's name as an underscore.
    const expected = fileNames.map(([, file]) => [file.replaceAll('"', "_"), `content of ${file}`]);
    expect(files).toEqual(Object.fromEntries(expected));
    const printed = { typescript: "finished First answer\n", python: "finished First answer\n", cli: "First answer\n" };
    if (language in printed) expect(stdout).toBe(printed[language as keyof typeof printed]);
    else expect(JSON.parse(stdout)).toMatchObject({ [language === "v1" ? "agent_id" : "id"]: expect.any(String) });
  });

  test("sends the next inputs, or says that it shows the first turn only", async () => {
    const nextInputs = [`Second ${hostile}`, "Third"];
    const program = programFor(language, shown({ nextInputs }));
    const { stdout } = await ran(language, program, key());
    const { inputs, files } = await startedRun();
    expect(Object.keys(files).length).toBe(fileNames.length);
    expect(inputs).toEqual(language === "v1" ? [hostile] : [hostile, ...nextInputs]);
    if (language === "v1") expect(program).toContain("this is the first turn of 3");
    else if (language !== "curl") expect(stdout).toContain("Third answer");
  });

  test("starts a run without an input, and without files", async () => {
    const program = programFor(language, shown({ input: language === "cli" ? "Hello" : undefined, files: [] }));
    await ran(language, program, key());
    expect((await startedRun()).files).toEqual({});
  });
});

const forPrograms = everyLanguage.filter((language) => language !== "cli");

test.each(forPrograms)("the first %s program works with what its dialog shows", async (language) => {
  const { baseUrl, templateId: agentId, apiKey } = service;
  const call = { serviceUrl: baseUrl, agentId, key: apiKey };
  const program = firstProgram(language, call);
  const isCurl = language === "curl" || language === "v1";
  expect(program.includes(apiKey)).toBe(isCurl);
  await ran(language, program, isCurl ? {} : variables(environmentFile(call)));
  expect(await startedRun()).toEqual({ name: "First run", inputs: ["What can you do?"], files: {} });
});

test.each(forPrograms)("the first %s program reads an address that the page does not know", async (language) => {
  const { baseUrl, templateId: agentId, apiKey } = service;
  const program = firstProgram(language, { serviceUrl: undefined, agentId, key: undefined });
  expect(program).toContain("AGENT_RUN_URL");
  await ran(language, program, variables(environmentFile({ serviceUrl: `${baseUrl}/`, agentId, key: apiKey })));
  expect((await startedRun()).name).toBe("First run");
});

test("programs are written as docs/clients.md writes them", () => {
  const documented = readFileSync(join(root, "docs/clients.md"), "utf8");
  for (const language of ["typescript", "python"] as const) {
    const program = firstProgram(language, { serviceUrl: undefined, agentId: "a", key: undefined });
    const lines = program.split("\n").filter((line) => /import|AgentRuns\(|print|console/.test(line));
    expect(lines.filter((line) => !documented.includes(line))).toEqual([]);
  }
});

/** The variables of a file for `node --env-file`. */
function variables(file: string): Record<string, string> {
  return Object.fromEntries(file.split("\n").flatMap((line) => (line ? [line.split("=", 2) as [string, string]] : [])));
}
