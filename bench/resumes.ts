import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Agent } from "../src/accounts/types.ts";
import type { RunJournalEntry } from "../src/runs/types.ts";
import { type LocalPlatform, openLocalPlatform } from "../src/platform/local/index.ts";
import { startRunner } from "../src/platform/local/workflow.ts";
import { newRun } from "./new-run.ts";
import { newDataDir } from "./servers.ts";
import { median, type Row } from "./table.ts";

/** From the runner's start to the model's next call, for a run that was left in the middle of a turn. */
export async function measureResumes(rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  let called: (() => void) | undefined;
  const server = createServer((request) => {
    request.resume();
    called?.(); // and never answered: the runner is closed
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  for (const recordedSteps of [0, 10, 1_000]) {
    const times: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const stores = openLocalPlatform({ dataDir: newDataDir() });
      await leaveRun(stores, baseUrl, recordedSteps);
      const runner = startRunner({ ...stores, now: Date.now, secretOf: async () => undefined });
      const next = new Promise<void>((resolve) => (called = resolve));
      const begun = performance.now();
      await runner.reconcile();
      await next;
      if (round > 0) times.push(performance.now() - begun); // the first loads the provider
      await runner.close();
      stores.close();
    }
    if (recordedSteps === 0) continue; // the provider is loaded now
    const target = recordedSteps === 1_000 ? { atMost: 200 } : undefined;
    rows.push({ name: `resume with ${recordedSteps} recorded steps`, unit: "ms", service: median(times), target });
  }
  server.closeAllConnections();
  server.close();
  return rows;
}

async function leaveRun(stores: LocalPlatform, baseUrl: string, recordedSteps: number): Promise<void> {
  const { accounts, runs } = stores;
  const organization = {
    id: randomUUID(),
    name: "bench",
    model: { enabled: true, provider: "openai-compatible", baseUrl, model: "m" } as const,
  };
  const agent: Agent = {
    id: randomUUID(),
    organizationId: organization.id,
    name: "bench",
    instructions: "Work.",
    tools: ["list_files"],
    limits: { steps: 10_000, tokens: 1_000_000_000, seconds: 86_400 },
    status: "active",
  };
  await Promise.all([accounts.createOrganization(organization), accounts.createAgent(agent)]);
  const run = newRun(agent);
  await runs.create(run, [{ turn: 1, role: "input_to_agent", text: "Go." }]);
  const records = Array.from({ length: recordedSteps }, (_, index): RunJournalEntry[] => {
    const call = { id: `call-${index}`, name: "list_files", input: {} };
    const answer = {
      text: "",
      toolCalls: [call],
      finishReason: "tool-calls",
      usage: { inputTokens: 100, outputTokens: 10 },
    } as const;
    const result = { callId: call.id, name: call.name, text: "The workspace is empty." };
    return [
      { turn: 1, step: index + 1, part: "answer", answer: { ...answer, toolCalls: [call] } },
      { turn: 1, step: index + 1, part: "result", call: 0, result },
    ];
  }).flat();
  const applied = await runs.change({ runId: run.id, expect: { status: "running", turn: 1 }, steps: records });
  if (!applied) throw new Error("the records of the run to be resumed were refused");
}
