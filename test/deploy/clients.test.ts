import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { drivers } from "../clients/driver.ts";
import { python, pythonClient } from "../clients/python.ts";
import { answersWithResult, callsTool, chatServer } from "../providers/chat-completions-server.ts";
import { type Deployed, openDeployed, server } from "./deployed.ts";
import { environment, root, run } from "./processes.ts";

let deployed: Deployed;
beforeAll(async () => {
  deployed = await openDeployed();
});
afterAll(() => deployed.close());

test("the example program follows a run, and saves a file that the agent wrote", async () => {
  const writes = callsTool("write_file", { name: "total.csv", content: "total\n42\n" });
  await using model = await chatServer(writes, answersWithResult);
  const { key } = await deployed.newAgent(...server(model.baseUrl));
  const folder = mkdtempSync(join(tmpdir(), "example-"));
  writeFileSync(join(folder, "sales.csv"), "shop,amount\nA,40\nB,2\n");
  const env = environment({ AGENT_RUN_URL: deployed.baseUrl, AGENT_RUN_KEY: key, PYTHONPATH: pythonClient });
  const inFolder = ["-c", 'cd "$1" && shift && exec "$@"', "sh", folder];
  const program = [await python("python"), join(root, "examples/run_agent.py"), "sales.csv", "total.csv"];
  const { status, stdout, stderr } = await run("sh", [...inFolder, ...program], { env });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout.split("\n").slice(0, 5)).toEqual(["input", "model_call", "tool_result", "model_call", "output"]);
  expect(readFileSync(join(folder, "total.csv"), "utf8")).toBe("total\n42\n");
});

test.for(["TypeScript", "Python"])("%s: a file of more than 10 MiB goes through the bucket", async (language) => {
  const { key: api_key } = await deployed.newAgent("--provider", "demo");
  await using driver = await drivers[language]!();
  const job = { baseUrl: deployed.baseUrl, client: { api_key }, realTime: true };
  const content = `${"0123456789abcdef".repeat(720 * 1024)}end`;
  const options = { name: "Large", input: "Hello?", files: [["large.txt", content]], timeout: 120_000 };
  const { value, events } = await driver.run({ ...job, method: "create_and_wait", options, onEvent: "record" });
  expect(value).toMatchObject({ status: "finished" });
  expect(events.length).toBeGreaterThan(1);
  const args = [(value as { id: string }).id, "large.txt"];
  const downloaded = await driver.run({ ...job, method: "download", args });
  expect(downloaded.value === content).toBe(true);
});
