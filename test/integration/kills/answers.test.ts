import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as tick, setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { Schemas } from "../../../src/ext/call.ts";
import { chatServer, type Reply, scripted, slowly } from "../../providers/chat-completions-server.ts";
import { done, fileText } from "../admin.ts";
import { createRun, finished, modelAt, newDataDir, type Service, startService } from "../service.ts";

vi.setConfig({ testTimeout: 300_000 }); // a start takes seconds on a busy machine

/** The calls of a step: one that needs nobody, an approval, and one of the caller's program. */
const callsOf = (step: number): [name: string, input: object][] => [
  ["list_files", {}],
  ["write_file", { name: `note-${step}.txt`, content: `of step ${step}` }],
  ["find_order", { id: String(step) }],
];

const agent = {
  name: "Asks",
  instructions: "Ask.",
  tools: ["list_files", "write_file"],
  toolPolicy: { write_file: "ask" },
  clientTools: [{ name: "find_order", description: "Finds an order.", input: { type: "object" } }],
  answers: { keysApprove: true },
};

/** Each waits for two answers. */
const steps = 2;
const model: Reply = slowly(
  scripted(({ step }) => (step > steps ? { text: "All is done." } : { calls: callsOf(step) })),
);

test(`a run that waits for ${2 * steps} answers and is killed at every record asks and is answered once each`, async () => {
  await using server = await chatServer(...Array.from({ length: 500 }, () => model));
  const dataDir = newDataDir();
  const args = modelAt(server.baseUrl);
  const first = await startService(dataDir, args);
  const file = join(dataDir, "agent.json");
  writeFileSync(file, JSON.stringify(agent));
  await done(dataDir, "agent", "update", first.templateId, "--file", file);
  const runId = await createRun(first, { input_text: "Work." });
  const db = new DatabaseSync(join(dataDir, "runs.sqlite"), { readOnly: true });
  const parts = db.prepare("SELECT body ->> 'part' AS part, body FROM journal ORDER BY event");
  const entries = () => parts.all().filter(({ part }) => part !== "resumed");
  const head = db.prepare("SELECT status, asked_until AS askedUntil FROM runs");

  let service: Service = first;
  let kills = 0;
  const killAndRestart = async (): Promise<void> => {
    expect(await service.end("SIGKILL")).toBe("SIGKILL");
    kills++;
    service = await startService(dataDir, args);
  };
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${first.apiKey}`, "content-type": "application/json" };
    const response = await fetch(`${service.baseUrl}/ext/v1/runs/${runId}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Schemas["RunDetail"] };
  };

  /** Answers one call: the request is sent again after a kill that came before its response. */
  async function answerOne(): Promise<void> {
    const [open] = (await call("GET", "")).body.open_calls;
    if (!open) return;
    const named = { call: open.id, arguments_sha256: open.arguments_sha256 };
    const answer = open.kind === "approval" ? { ...named, decision: "allow" } : { ...named, output: `of ${open.id}` };
    const lost = call("POST", "/answers", answer).catch(() => undefined);
    await sleep(kills % 4); // the kill comes before, during or after the write
    await killAndRestart();
    await lost;
    expect((await call("POST", "/answers", answer)).status).toBe(200);
    await killAndRestart();
  }

  let seen = 0;
  while (head.get()?.["status"] === "running") {
    if (head.get()?.["askedUntil"] !== null) await answerOne();
    else if (entries().length > seen) {
      seen = entries().length;
      await killAndRestart();
    } else await tick();
  }

  expect(await finished({ ...service, apiKey: first.apiKey }, runId)).toMatchObject({
    transcript: [{ text: "Work." }, { role: "output_from_agent", text: "All is done." }],
  });
  const found = entries();
  const count = (part: string) => found.filter((entry) => entry["part"] === part).length;
  expect(["answer", "asked", "answered", "result"].map(count)).toEqual([steps + 1, 2 * steps, 2 * steps, 3 * steps]);
  const last = server.received.at(-1)?.body.messages as { role: string; tool_call_id?: string; content: string }[];
  const results = last.filter(({ role }) => role === "tool");
  expect(results.map((message) => message.tool_call_id)).toEqual(
    Array.from({ length: steps }, (_, n) => callsOf(n + 1).map((_call, index) => `call-${n + 1}-${index}`)).flat(),
  );
  expect(results.filter((_, index) => index % 3 === 2).map(({ content }) => content)).toEqual(
    Array.from({ length: steps }, (_, n) => `of 1.${n + 1}.2`),
  );
  for (let step = 1; step <= steps; step++) {
    expect(await fileText(dataDir, runId, `note-${step}.txt`)).toBe(`of step ${step}`);
  }
  console.log(`${kills} kills; ${server.received.length} model calls for ${steps + 1} steps`);
  db.close();
  await service.end("SIGTERM");
  rmSync(dataDir, { recursive: true });
});
