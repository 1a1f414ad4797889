import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answersWithResult, callsTool, chatServer } from "../providers/chat-completions-server.ts";
import { type Deployed, openDeployed, server } from "./deployed.ts";
import { functionUrl } from "./environment-function.ts";
import { admin } from "./service.ts";

const folder = mkdtempSync(join(tmpdir(), "sandbox-test-"));
const agentFile = join(folder, "agent.json");
const tools = ["run_javascript", "run_python", "run_shell"];
writeFileSync(agentFile, JSON.stringify({ name: "Analyst", instructions: "Answer questions about tables.", tools }));

let deployed: Deployed;
beforeAll(async () => {
  deployed = await openDeployed();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  return deployed.close();
});

const csv = `shop,amount\n${Array.from({ length: 100 }, (_, n) => `Shop ${n},${n}`).join("\n")}\n`;
const hasLinux = process.env[functionUrl] !== undefined;

/** Runs an agent that calls the tool once. Resolves with the id of the run and its last message. */
async function callTool(tool: string, input: object) {
  await using model = await chatServer(callsTool(tool, input), answersWithResult);
  const { id, api } = await deployed.newAgent(...server(model.baseUrl));
  await admin("agent", "update", id, "--file", agentFile);
  const runId = await api.create("What is the total?", [
    { filename: "sales.csv", content_base64: Buffer.from(csv).toString("base64") },
  ]);
  const { loop_status, transcript } = await api.ended(runId);
  expect(loop_status).toBe("finished");
  return { runId, text: transcript[1]?.text };
}

async function expectFile(runId: string, name: string, text: string): Promise<void> {
  const content_base64 = Buffer.from(text).toString("base64");
  expect(await admin("run", "file", runId, name)).toMatchObject({ size: text.length, content_base64 });
}

test("the sandbox function runs JavaScript with files, and the bucket holds the file that it writes", async () => {
  const code = `
    const total = parseCsv(readFile("sales.csv")).reduce((sum, { amount }) => sum + Number(amount), 0);
    writeFile("total.txt", String(total));
    total`;
  const { runId, text } = await callTool("run_javascript", { code });
  expect(text).toBe("It says: 4950\n[Wrote total.txt (4 bytes).]");
  await expectFile(runId, "total.txt", "4950");
});

test.skipIf(!hasLinux)(
  "a script in the Linux environment gets its files by signed requests, and stores its changes so",
  async () => {
    const script =
      "mkdir reports; awk -F, 'NR > 1 { sum += $2 } END { printf sum }' sales.csv | tee reports/total.txt; rm sales.csv";
    const { runId, text } = await callTool("run_shell", { script });
    expect(text).toMatch(/^It says: 4950\n/);
    await expectFile(runId, "reports/total.txt", "4950");
    const { files } = (await admin("run", "show", runId)) as unknown as { files: { name: string }[] };
    expect(files.map(({ name }) => name)).toEqual(["reports/total.txt"]);
  },
);

test.skipIf(!hasLinux)("Python in the Linux environment reads and writes files", async () => {
  const code =
    "rows = open('sales.csv').read().splitlines()[1:]\nopen('n.txt', 'w').write(str(len(rows)))\nprint(len(rows))";
  const { runId, text } = await callTool("run_python", { code });
  expect(text).toMatch(/^It says: 100\n/);
  await expectFile(runId, "n.txt", "100");
});
