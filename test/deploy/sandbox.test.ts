import { afterAll, beforeAll, expect, test } from "vitest";
import { chatServer, chunk, type Reply, streams, toolCallChunk } from "../wire/chat-completions-server.ts";
import { type Deployed, openDeployed, server } from "./deployed.ts";
import { admin } from "./service.ts";

let deployed: Deployed;
beforeAll(async () => {
  deployed = await openDeployed();
});
afterAll(() => deployed.close());

/** The model asks for a program to be run. */
function runs(name: string, input: object): Reply {
  const call = { id: `call-${name}`, name, arguments: JSON.stringify(input) };
  return streams(chunk({ role: "assistant" }), toolCallChunk(0, call), chunk({}, { finish_reason: "tool_calls" }));
}

/** The model answers with what the tool said: all that it knows is from there. */
const answersWithResult: Reply = (response, received) => {
  const { content } = received.body["messages"].at(-1) as { content: string };
  return streams(chunk({ role: "assistant", content: `It says: ${content}` }), chunk({}, { finish_reason: "stop" }))(
    response,
    received,
  );
};

const csv = `shop,amount\n${Array.from({ length: 100 }, (_, n) => `Shop ${n},${n}`).join("\n")}\n`;

test("a program runs in the sandbox's function: its files go in, and what it writes is in the bucket", async () => {
  const code = `
    const total = parseCsv(readFile("sales.csv")).reduce((sum, { amount }) => sum + Number(amount), 0);
    writeFile("total.txt", String(total));
    total`;
  await using model = await chatServer(runs("run_javascript", { code }), answersWithResult);
  const { id, api } = await deployed.newAgent(...server(model.baseUrl));
  await admin("agent", "update", id, "--file", "examples/data-analyst.json");
  const runId = await api.create("What is the total?", [
    { filename: "sales.csv", content_base64: Buffer.from(csv).toString("base64") },
  ]);
  const { loop_status, transcript } = await api.ended(runId);
  expect([loop_status, transcript[1]?.text]).toEqual(["finished", "It says: 4950\n[Wrote total.txt (4 bytes).]"]);
  expect(await deployed.objectsOf(runId)).toContain(`workspaces/${runId}/total.txt`);
});
