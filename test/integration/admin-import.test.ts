import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chatServer, scripted } from "../providers/chat-completions-server.ts";
import { admin, done, fileText, rejected } from "./admin.ts";
import { modelAt, newDataDir, type Service, startService } from "./service.ts";

const works = scripted(({ input, results }) => {
  if (results.length === 0) return { calls: [["write_file", { name: "a.txt", content: input }]] };
  return { text: `${input}: ${results.at(-1)}` };
});

let model: Awaited<ReturnType<typeof chatServer>>;
let services: Service[];
let agents: string[];
let source: string;
const directory = mkdtempSync(join(tmpdir(), "import-"));
const [here, there] = [newDataDir(), newDataDir()];
const bundle = join(directory, "run.zip");

beforeAll(async () => {
  model = await chatServer(...Array.from({ length: 100 }, () => works));
  const definition = { name: "Writer", instructions: "Write.", tools: ["write_file", "read_file"] };
  const file = join(directory, "agent.json");
  writeFileSync(file, JSON.stringify(definition));
  [services, agents] = [[], []];
  for (const dataDir of [here, there]) {
    services.push(await startService(dataDir, modelAt(model.baseUrl)));
    agents.push((await done(dataDir, "agent", "create", "--file", file)).id);
  }
  const start = await admin(here, "run", "start", "--agent", agents[0] ?? "", "--text", "One", "--wait", "--json");
  source = (JSON.parse(start.stdout) as { id: string }).id;
  await done(here, "run", "export", source, "--output", bundle);
});
afterAll(async () => {
  for (const service of services) await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  for (const path of [directory, here, there]) rmSync(path, { recursive: true, force: true });
});

const shown = async (run: string) => (await admin(there, "run", "show", run)).stdout;
const sum = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");
const agentThere = (): string => agents[1] ?? "";

test("a run of one service is imported into another, read-only, and exported with the same bytes", async () => {
  const imported = await done(there, "run", "import", bundle, "--agent", agentThere());
  expect(imported).toMatchObject({
    status: "finished",
    turn: 1,
    agent_id: agentThere(),
    imported_from: expect.objectContaining({ run_id: source }),
  });
  const { id } = imported;
  expect(id).not.toBe(source);
  expect(await shown(id)).toContain("One: Wrote a.txt (3 bytes).");
  expect(await fileText(there, id, "a.txt")).toBe("One");
  const again = join(directory, "again.zip");
  await done(there, "run", "export", id, "--output", again);
  expect(sum(again)).toBe(sum(bundle));
  const readOnly = "was imported and is read-only; fork it to continue it, or run its input again";
  for (const command of [
    ["input", id, "--text", "More"],
    ["stop", id],
    ["retry", id],
    ["share", id],
  ])
    expect([command, await rejected(there, "run", ...command)]).toEqual([command, expect.stringContaining(readOnly)]);
});

test("an imported run is forked with what the agent is, and continues", async () => {
  const { id } = await done(there, "run", "import", bundle, "--agent", agentThere());
  const { code, stdout } = await admin(there, "run", "fork", id, "--at", "1.1", "--yes", "--wait");
  expect([code, stdout]).toEqual([0, "One: Wrote a.txt (3 bytes).\n"]);
});

test("a file that is no bundle, and an unknown agent, are refused", async () => {
  const other = join(directory, "other.zip");
  writeFileSync(other, "PK");
  const agent = agentThere();
  const refused = (file: string, id = agent) => rejected(there, "run", "import", file, "--agent", id);
  expect(await refused(other)).toContain("the bundle cannot be imported: it is not an archive as the export");
  expect(await refused(join(directory, "none.zip"))).toContain("cannot be read");
  expect(await refused(bundle, source)).toContain("does not exist");
});
