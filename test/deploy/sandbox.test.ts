import { afterAll, beforeAll, expect, test } from "vitest";
import { answersWithResult, callsTool, chatServer } from "../providers/chat-completions-server.ts";
import { type Deployed, openDeployed, server } from "./deployed.ts";
import { admin } from "./service.ts";

let deployed: Deployed;
beforeAll(async () => {
  deployed = await openDeployed();
});
afterAll(() => deployed.close());

const csv = `shop,amount\n${Array.from({ length: 100 }, (_, n) => `Shop ${n},${n}`).join("\n")}\n`;

test("the sandbox function runs a program with files, and the bucket holds the file that it writes", async () => {
  const code = `
    const total = parseCsv(readFile("sales.csv")).reduce((sum, { amount }) => sum + Number(amount), 0);
    writeFile("total.txt", String(total));
    total`;
  await using model = await chatServer(callsTool("run_javascript", { code }), answersWithResult);
  const { id, api } = await deployed.newAgent(...server(model.baseUrl));
  await admin("agent", "update", id, "--file", "examples/data-analyst.json");
  const runId = await api.create("What is the total?", [
    { filename: "sales.csv", content_base64: Buffer.from(csv).toString("base64") },
  ]);
  const { loop_status, transcript } = await api.ended(runId);
  expect([loop_status, transcript[1]?.text]).toEqual(["finished", "It says: 4950\n[Wrote total.txt (4 bytes).]"]);
  const content_base64 = Buffer.from("4950").toString("base64");
  expect(await admin("run", "file", runId, "total.txt")).toMatchObject({ size: 4, content_base64 });
});
