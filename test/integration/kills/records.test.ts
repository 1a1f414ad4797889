import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as tick } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { chatServer, type Reply, scripted, slowly } from "../../providers/chat-completions-server.ts";
import { done, fileNames, fileText } from "../admin.ts";
import { createRun, finished, modelAt, newDataDir, type Service, startService } from "../service.ts";

vi.setConfig({ testTimeout: 300_000 }); // a start takes seconds on a busy machine

/** Parallel tool calls of each step: one to three. An edit that is repeated or lost shows in data.csv. */
const callsOf = (step: number): [name: string, input: object][] =>
  [
    ["edit_file", { name: "data.csv", old_text: "end", new_text: `step ${step}\nend` }] as [string, object],
    ["write_file", { name: `note-${step}.txt`, content: `of step ${step}` }] as [string, object],
    ["list_files", {}] as [string, object],
  ].slice(0, 1 + (step % 3));

/** One with each number of parallel calls, from one to three. */
const steps = 3;

const records = steps + 1 + Array.from({ length: steps }, (_, n) => callsOf(n + 1).length).reduce((a, b) => a + b);
const model: Reply = slowly(
  scripted(({ step }) => (step > steps ? { text: `Report after ${steps} steps.` } : { calls: callsOf(step) })),
);

// At every journal entry, and during every third model call.
test(`a ${steps}-step run that is killed at every journal entry repeats at most one model call per kill`, async () => {
  await using server = await chatServer(...Array.from({ length: 500 }, () => model));
  const dataDir = newDataDir();
  const args = modelAt(server.baseUrl);
  const first = await startService(dataDir, args);
  const closedPort = "http://127.0.0.1:9/"; // the delivery stays pending
  await done(dataDir, "webhook", "set", "--agent", first.templateId, "--url", closedPort, "--private-addresses");
  const runId = await createRun(first, {
    input_text: "Work.",
    files: [
      { filename: "data.csv", content_base64: Buffer.from("city,people\nOslo,709037\nend\n").toString("base64") },
    ],
  });
  const db = new DatabaseSync(join(dataDir, "runs.sqlite"), { readOnly: true });
  const count = db.prepare("SELECT count(*) AS n FROM journal WHERE (body ->> 'part' = 'resumed') = ?");
  const recorded = (): number => Number(count.get(0)?.["n"]);
  const resumed = (): number => Number(count.get(1)?.["n"]);

  let service: Service = first;
  const killedAt: number[] = [];
  let killsInModelCalls = 0;
  const events = db.prepare("SELECT sequence, at FROM journal UNION ALL SELECT sequence, at FROM messages");
  const head = db.prepare("SELECT sequence, created_at FROM runs");
  const outputs = db.prepare("SELECT count(*) AS n FROM messages WHERE role = 'output_from_agent'");
  const deliveries = db.prepare("SELECT count(*) AS n FROM deliveries");

  /**
   * The events are numbered from 1 without gaps and doubles, and none is older than the run. The turn has a delivery when
   * it has an output.
   */
  function checkRecords(): void {
    const rows = events.all().toSorted((a, b) => Number(a["sequence"]) - Number(b["sequence"]));
    const { sequence, created_at: createdAt } = head.get() ?? {};
    expect(rows.map((row) => row["sequence"])).toEqual(Array.from({ length: Number(sequence) }, (_, n) => n + 1));
    expect(rows.filter(({ at }) => Number(at) < Number(createdAt))).toEqual([]);
    expect(deliveries.get()).toEqual(outputs.get());
  }

  async function killAndRestart(): Promise<void> {
    expect(await service.end("SIGKILL")).toBe("SIGKILL");
    checkRecords();
    service = await startService(dataDir, args);
  }

  // The turn ends on the definition that it began with, which has all tools.
  const changed = join(dataDir, "agent.json");
  writeFileSync(changed, JSON.stringify({ name: "Changed", instructions: "Changed.", tools: ["list_files"] }));
  await done(dataDir, "agent", "update", first.templateId, "--file", changed);

  // The last entry is written together with the end of the run, so the last kill is at the entry before it.
  for (let record = 0; record < records - 1; record++) {
    while (recorded() < record) await tick();
    killedAt.push(recorded());
    await killAndRestart();
    if (record % 3 !== 0) continue;
    const calls = server.received.length;
    while (server.received.length === calls && recorded() < records) await tick();
    killsInModelCalls++;
    await killAndRestart();
  }

  const run = await finished({ ...service, apiKey: first.apiKey }, runId);
  expect(run).toEqual({
    agent_id: runId,
    loop_status: "finished",
    transcript: [
      { role: "input_to_agent", text: "Work." },
      { role: "output_from_agent", text: `Report after ${steps} steps.` },
    ],
  });
  const kills = killedAt.length + killsInModelCalls;
  expect(server.received.length).toBeLessThanOrEqual(steps + 1 + kills);
  expect(recorded()).toBe(records);
  // A process can be killed before it records that it resumes the turn.
  expect(resumed()).toBeGreaterThan(0);
  expect(resumed()).toBeLessThanOrEqual(kills);
  checkRecords();
  const edits = Array.from({ length: steps }, (_, index) => `step ${index + 1}\n`);
  expect(await fileText(dataDir, runId, "data.csv")).toBe(`city,people\nOslo,709037\n${edits.join("")}end\n`);
  const written = edits.flatMap((_, index) => (callsOf(index + 1).length > 1 ? [`note-${index + 1}.txt`] : []));
  expect(await fileNames(dataDir, runId)).toEqual(["data.csv", ...written].toSorted());
  for (const name of written) {
    expect(await fileText(dataDir, runId, name)).toBe(name.replace(/note-(\d+).txt/, "of step $1"));
  }
  expect(await fileText(dataDir, runId, "data.csv", "--at", "1.0")).toBe("city,people\nOslo,709037\nend\n");
  expect(db.prepare("SELECT count(*) AS n FROM runs WHERE status = 'running'").get()).toEqual({ n: 0 });
  expect(new Set(server.received.map(({ body }) => JSON.stringify([body.messages[0], body["tools"]]))).size).toBe(1);
  expect(JSON.stringify(server.received.at(-1)?.body)).not.toContain("Changed.");
  // The last model call contains each tool result once, in the order of the calls.
  const results = server.received
    .at(-1)
    ?.body.messages.filter((message) => (message as { role?: string }).role === "tool");
  expect(results?.map((message) => (message as { tool_call_id?: string }).tool_call_id)).toEqual(
    Array.from({ length: steps }, (_, n) => callsOf(n + 1).map((_call, index) => `call-${n + 1}-${index}`)).flat(),
  );
  console.log(
    `${kills} kills: ${killedAt.length} at records (${new Set(killedAt).size} different states of the database), ` +
      `${killsInModelCalls} during model calls; ${server.received.length} model calls for ${steps + 1} steps`,
  );
  db.close();
  await service.end("SIGTERM");
  rmSync(dataDir, { recursive: true });
});
