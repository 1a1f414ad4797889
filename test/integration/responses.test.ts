import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { fileText } from "./admin.ts";
import { modelServer, type Reply } from "../providers/model-server.ts";
import { callItem, messageItem, reasoningItem, responds } from "../providers/responses-server.ts";
import { createRun, finished, newDataDir, startService } from "./service.ts";

const thought = reasoningItem("rs_1", "ENCRYPTED", "I write a report.");
const writes = responds([thought, callItem("call_1", "write_file", '{"name":"report.txt","content":"42"}')]);
const answers = responds([messageItem("msg_1", "The answer is 42.")]);
const hangs: Reply = () => {};

interface SentCall {
  exact: boolean;
  url: string;
  headers: Record<string, string>;
  body: string;
}

test("a run over the Responses API survives kill -9, and its requests can be sent again as they were", async () => {
  await using server = await modelServer(writes, hangs, answers, answers);
  const options = ["--model", "openai-responses", "--model-name=m", "--model-base-url", server.baseUrl];
  const environment = { MODEL_KEY: "sk-0123456789" };
  const first = await startService(newDataDir(), [...options, "--model-secret=env:MODEL_KEY"], environment);
  const runId = await createRun(first, { input_text: "How much?" });
  while (server.received.length < 2) await sleep(10);
  await first.end("SIGKILL");

  await using second = await startService(first.dataDir, ["--allow-secret=MODEL_KEY"], environment);
  const run = await finished({ ...second, apiKey: first.apiKey }, runId);
  expect([run.loop_status, run.transcript.at(-1)?.text]).toEqual(["finished", "The answer is 42."]);
  expect(await fileText(second.dataDir, runId, "report.txt")).toBe("42");
  const bodies = server.received.map(({ text }) => text);
  expect(bodies).toHaveLength(3); // two steps, and one call repeated after the kill
  expect(bodies[2]).toBe(bodies[1]);
  expect(server.received[2]?.body["input"]).toMatchObject([{ role: "user" }, thought, { call_id: "call_1" }, {}]);
  expect(server.received.map(({ body }) => body["prompt_cache_key"])).toEqual([runId, runId, runId]);

  const token = second.consoleUrl.split("#")[1] ?? "";
  const headers = { authorization: `Bearer ${token}` };
  for (const [at, body] of [
    ["1.1", bodies[0]],
    ["1.2", bodies[1]],
  ]) {
    const url = `${second.baseUrl}/manage/v1/runs/${runId}/request/sent?at=${at}`;
    const response = await fetch(url, { headers });
    const { exact, ...request } = (await response.json()) as SentCall;
    expect([exact, request.body === body, request.url]).toEqual([true, true, `${server.baseUrl}/responses`]);
    expect(JSON.stringify(request)).not.toContain("sk-0123456789");
    expect(request.headers["authorization"]).toBe("Bearer $MODEL_API_KEY");
    if (at === "1.2") {
      const again = await fetch(request.url, { method: "POST", headers: request.headers, body: request.body });
      expect(await again.text()).toContain("The answer is 42.");
      expect(server.received.at(-1)?.text).toBe(body);
    }
  }
});
