import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { docx, pdf } from "../fixtures/documents.ts";
import { mcpServer } from "../unit/mcp/mcp-server.ts";
import { answersWithResult, callsTool, chatServer, type Reply } from "../providers/chat-completions-server.ts";
import { admin, done, fileText } from "./admin.ts";
import { root } from "./script.ts";
import { createRun, finished, modelAt, newDataDir, type RunStatus, type Service, startService } from "./service.ts";

/** Starts the service in its own process and runs an example's agent once. */
async function runExample(
  example: string,
  replies: Reply[],
  { input, files = {} }: { input: string; files?: Record<string, string | Buffer> },
): Promise<RunStatus & { dataDir: string; modelSaw: string }> {
  await using model = await chatServer(...replies);
  const dataDir = newDataDir();
  const service = await startService(dataDir, [...modelAt(model.baseUrl), "--allow-secret=TEAM_MCP_TOKEN=127.0.0.1"]);
  try {
    const agent = await done(dataDir, "agent", "create", "--file", example);
    const { key: apiKey } = await done(dataDir, "key", "create", "--agent", agent.id);
    const caller: Service = { ...service, apiKey, templateId: agent.id };
    const sent = Object.entries(files).map(([filename, content]) => ({
      filename,
      content_base64: Buffer.from(content).toString("base64"),
    }));
    const run = await finished(caller, await createRun(caller, { input_text: input, files: sent }));
    return { ...run, dataDir, modelSaw: JSON.stringify(model.received) };
  } finally {
    await service.end("SIGTERM");
  }
}

const output = ({ transcript }: RunStatus) => transcript.at(-1)?.text;

test.concurrent("data analyst: the output contains a number that the sandbox computed from the CSV", async () => {
  const rows = Array.from({ length: 500 }, (_, n) => `"Shop ${n}, Ltd",${(n * 7919) % 1_000},EUR`);
  const expected = rows.reduce((sum, _, n) => sum + ((n * 7919) % 1_000), 0);
  const code = `
import csv
total = sum(int(row["amount"]) for row in csv.DictReader(open("sales.csv")))
open("total.csv", "w").write(f"total\\n{total}\\n")
print(total)`;
  const run = await runExample("examples/data-analyst.json", [callsTool("run_python", { code }), answersWithResult], {
    input: "What is the total?",
    files: { "sales.csv": `shop,amount,currency\n${rows.join("\n")}\n` },
  });
  expect(run.loop_status).toBe("finished");
  expect(output(run)).toContain(`It says: ${expected}\n`);
  expect(output(run)).toContain("Wrote total.csv");
  expect(await fileText(run.dataDir, run.agent_id, "total.csv")).toBe(`total\n${expected}\n`);
});

test.concurrent("document reader: reads Word and PDF documents", async () => {
  const files = {
    "offer.docx": docx("Our offer", "The price is 4,711 euro."),
    "terms.pdf": pdf("Pay in 14 days.", "Done."),
  };
  const replies = [
    callsTool("read_file", { name: "offer.docx" }),
    callsTool("read_file", { name: "terms.pdf" }),
    answersWithResult,
  ];
  const run = await runExample("examples/document-reader.json", replies, { input: "When do we pay?", files });
  expect(run.loop_status).toBe("finished");
  expect(run.modelSaw).toContain("The price is 4,711 euro.");
  expect(output(run)).toContain("[Page 1 of 2]\nPay in 14 days.");
});

test.concurrent("MCP user: calls the server's tool with the secret header", async () => {
  await using server = await mcpServer();
  const agent = readFileSync(join(root, "examples/mcp-user.json"), "utf8").replace(/http:[^"]*/, server.url);
  const example = join(newDataDir(), "agent.json");
  writeFileSync(example, agent);
  process.env["TEAM_MCP_TOKEN"] = "token-of-the-team"; // inherited by the service's process
  const replies = [callsTool("team__add", { a: 40, b: 2 }), answersWithResult];
  const run = await runExample(example, replies, { input: "How much is 40 and 2?" });
  expect(run.loop_status).toBe("finished");
  expect(output(run)).toBe("It says: 42");
  expect(server.requests[0]).toMatchObject({ authorization: "Bearer token-of-the-team" });
  expect(run.modelSaw).not.toContain("token-of-the-team");
  rmSync(example);
});

test.concurrent("order desk: asks the caller's program, a person, and for an approval", async ({ expect: inTest }) => {
  await using model = await chatServer(
    callsTool("stock_of", { sku: "4711" }),
    callsTool("ask_person", { question: "How many?" }),
    callsTool("write_file", { name: "order.md", content: "4 × 4711\n" }),
    answersWithResult,
  );
  const dataDir = newDataDir();
  const service = await startService(dataDir, modelAt(model.baseUrl));
  try {
    const agent = await done(dataDir, "agent", "create", "--file", "examples/order-desk.json");
    const { key: apiKey } = await done(dataDir, "key", "create", "--agent", agent.id);
    const caller: Service = { ...service, apiKey, templateId: agent.id };
    const id = await createRun(caller, { input_text: "Order 4711." });
    expect((await admin(dataDir, "agent", "show", agent.id)).stdout).toMatch(/^clientTools +stock_of$/m);
    const answers = [["--output", '{"in_stock": 9}'], ["--output", "Four"], ["--allow"]];
    for (const [index, answer] of answers.entries()) {
      const open = async () => (await done(dataDir, "run", "show", id))["open_calls"];
      await inTest.poll(open, { timeout: 20_000 }).toMatchObject([{ id: `1.${index + 1}.0` }]);
      await done(dataDir, "run", "answer", id, `1.${index + 1}.0`, ...answer);
    }
    expect((await finished(caller, id)).loop_status).toBe("finished");
    expect(await fileText(dataDir, id, "order.md")).toBe("4 × 4711\n");
    const seen = JSON.stringify(model.received.at(-1)?.body);
    expect([seen.includes("in_stock"), seen.includes("Four")]).toEqual([true, true]);
  } finally {
    await service.end("SIGTERM");
    rmSync(dataDir, { recursive: true, force: true });
  }
});
