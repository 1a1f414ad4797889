import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { type CopiedRun, type Language, programFor } from "../../../console/copy-as.ts";

const hostile = 'It\'s "$HOME" `id` $(id) \\n \\\\ é \u202e … ${x} %s\nEND\nJSON\n';
const fileNames = ["q3 'final' $HOME.csv", "-rf.txt"];

/** Runs a program in a directory with the files. Resolves to the request body that it sent. */
async function sentBy(language: Language, command: (program: string) => [string, string[]]): Promise<unknown> {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    const received = request.method === "POST" ? json(request).then((body) => bodies.push(body)) : Promise.resolve();
    void received.then(() => {
      const authorized = request.headers.authorization === "Bearer ak_1";
      response.writeHead(authorized ? 200 : 401, { "content-type": "application/json" });
      response.end(JSON.stringify({ agent_id: "r1", loop_status: "finished", transcript: [{ text: "Done." }] }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const cwd = await mkdtemp(join(tmpdir(), "copy-as-"));
  for (const name of fileNames) await writeFile(join(cwd, name), "a,b\n");
  const { port } = server.address() as AddressInfo;
  const run: CopiedRun = {
    name: hostile.slice(0, 60),
    agentId: "7b1c",
    input: hostile,
    files: fileNames,
    serviceUrl: `http://127.0.0.1:${port}`,
    adminCommand: "npm run -s admin --",
  };
  const [file, parameters] = command(programFor(language, run));
  await promisify(execFile)(file, parameters, { cwd, env: { PATH: process.env["PATH"], API_KEY: "ak_1" } });
  return bodies[0];
}

const expected = {
  name: hostile.slice(0, 60),
  template_id: "7b1c",
  input_text: hostile,
  files: fileNames.map((filename) => ({ filename, content_base64: "YSxiCg==" })),
};

const isInstalled = (command: string): boolean => spawnSync(command, ["--version"]).status === 0;

// `npm test` needs Node only. The other languages are tried where they are installed.
const programs: [Language, (program: string) => [string, string[]]][] = [
  ["curl", (program) => ["sh", ["-c", program]]],
  ["typescript", (program) => [process.execPath, ["--input-type=module-typescript", "--eval", program]]],
  ["python", (program) => ["python3", ["-c", program]]],
];
const installed = { curl: isInstalled("curl"), typescript: true, python: isInstalled("python3"), cli: true };

test.each(programs.filter(([language]) => installed[language]))(
  "the copied %s program starts the same run",
  async (language, command) => {
    expect(await sentBy(language, command)).toEqual(expected);
  },
);

test("the copied command starts the same run", async () => {
  const run = { name: "It's", agentId: "7b1c", input: hostile, files: fileNames, serviceUrl: undefined };
  const program = programFor("cli", { ...run, adminCommand: `printf '%s\\0'` });
  const { stdout } = await promisify(execFile)("sh", ["-c", program]);
  const files = ["--file", "q3 'final' $HOME.csv", "--file", "./-rf.txt"];
  const words = ["run", "start", "--agent", "7b1c", "--name", "It's", "--text", hostile, ...files, "--wait", ""];
  expect(stdout.split("\0")).toEqual(words);
});
