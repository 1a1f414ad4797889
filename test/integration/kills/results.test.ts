import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as tick, setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { Schemas } from "../../../src/ext/call.ts";
import { answersIn, chatServer, type Reply, scripted, slowly } from "../../providers/chat-completions-server.ts";
import { done, fileText } from "../admin.ts";
import { createRun, finished, modelAt, newDataDir, type Service, startService } from "../service.ts";

vi.setConfig({ testTimeout: 300_000 }); // a start takes seconds on a busy machine

const schema = {
  type: "object",
  properties: { total: { type: "number" }, currency: { enum: ["EUR", "USD"] } },
  required: ["total", "currency"],
};
const agent = { name: "Typed", instructions: "Add up.", tools: ["write_file"], result: { schema } };

/** The steps of the turn: tool calls, a result that does not fit, a tool call for its correction, and the second result. */
const stepsOf = (second: string) => [
  { file: "note-1.txt" },
  { result: '{"total": "12", "currency": "GBP"}' },
  { file: "note-3.txt" },
  { result: second },
];
/** Entries of the journal: an answer per step, and a result per tool call. */
const records = 4 + 2;

type Format = "native" | "tool";

/** `ended`: the steps of the responses that were sent whole. */
function modelOf(format: Format, second: string, ended: number[]): Reply {
  const reply = scripted(({ messages }) => {
    const step = stepsOf(second)[answersIn(messages)];
    if (!step) return undefined;
    const { file, result = "" } = step;
    if (file !== undefined) return { calls: [["write_file", { name: file, content: `of ${file}` }]] };
    return format === "tool" ? { calls: [["submit_result", result]] } : { text: result };
  });
  return slowly((response, received) => {
    response.once("finish", () => ended.push(answersIn(received.body.messages) + 1));
    return reply(response, received);
  });
}

/** What a result is when its correction is `second`. */
const outcomes = {
  fits: { second: '{"total": 12, "currency": "EUR"}', result: { total: 12, currency: "EUR" }, problems: 0 },
  "does not fit": { second: '{"total": 12, "currency": "GBP"}', result: null, problems: 1 },
};

/** Kills the service at every record of a turn with a typed result, within its model calls, and while a result is checked. */
function testResultKills(format: Format, corrected: keyof typeof outcomes): void {
  const { second, result, problems } = outcomes[corrected];

  test(`a result (${format}) whose correction ${corrected} is there once after a kill at every record, and each kill repeats at most one model call`, async () => {
    const ended: number[] = [];
    const model = modelOf(format, second, ended);
    await using server = await chatServer(...Array.from({ length: 200 }, () => model));
    const dataDir = newDataDir();
    const args = [...modelAt(server.baseUrl), "--model-compat", `resultFormat=${format}`];
    const first = await startService(dataDir, args);
    const file = join(dataDir, "agent.json");
    writeFileSync(file, JSON.stringify(agent));
    await done(dataDir, "agent", "update", first.templateId, "--file", file);
    const runId = await createRun(first, { input_text: "Add up." });
    const db = new DatabaseSync(join(dataDir, "runs.sqlite"), { readOnly: true });
    const parts = db.prepare("SELECT body ->> 'part' AS part, body FROM journal ORDER BY event");
    const entries = (part?: string) =>
      parts.all().filter((entry) => (part ? entry["part"] === part : entry["part"] !== "resumed"));
    const head = db.prepare("SELECT status FROM runs");
    const isRunning = () => head.get()?.["status"] === "running";

    let service: Service = first;
    /** Recorded answers at each kill, and the model calls until then. */
    const kills: { answers: number; calls: number }[] = [];
    const killAndRestart = async (): Promise<void> => {
      expect(await service.end("SIGKILL")).toBe("SIGKILL");
      kills.push({ answers: entries("answer").length, calls: server.received.length });
      service = await startService(dataDir, args);
    };

    // The last entry is written together with the end of the run.
    for (let record = 0; record < records; record++) {
      while (isRunning() && entries().length < record) await tick();
      if (isRunning()) await killAndRestart();
      const [calls, whole] = [server.received.length, ended.length];
      while (isRunning() && server.received.length === calls && entries().length <= record) await tick();
      if (isRunning()) await killAndRestart(); // in a model call or a tool
      while (isRunning() && ended.length === whole && entries().length <= record) await tick();
      await sleep(kills.length % 3);
      if (isRunning()) await killAndRestart(); // in the check of a result, or in the write of the answer
    }

    const run = await finished({ ...service, apiKey: first.apiKey }, runId);
    expect(run).toMatchObject({ transcript: [{ text: "Add up." }, { role: "output_from_agent", text: second }] });
    const response = await fetch(`${service.baseUrl}/ext/v1/runs/${runId}`, {
      headers: { authorization: `Bearer ${first.apiKey}` },
    });
    const detail = (await response.json()) as Schemas["RunDetail"];
    expect(detail).toMatchObject({ status: "finished", result });
    expect(detail.result_error?.problems ?? []).toHaveLength(problems);

    const count = (part: string) => entries(part).length;
    expect(["answer", "result", "failed"].map(count)).toEqual([4, 2, 0]);
    const checked = entries("answer").map(({ body }) => {
      const { checked: outcome } = JSON.parse(String(body)) as { checked?: { problems?: unknown[] } };
      return outcome && (outcome.problems?.length ?? 0);
    });
    expect(checked).toEqual([undefined, 2, undefined, problems]);
    const steps = server.received.map(({ body }) => answersIn(body.messages) + 1);
    for (const { answers, calls } of kills) {
      expect(steps.slice(calls).filter((step) => step <= answers)).toEqual([]); // no recorded answer is asked for again
    }
    expect(steps.length).toBeLessThanOrEqual(4 + kills.length);
    expect(
      new Set(server.received.map(({ body }) => JSON.stringify([body["response_format"], body["tools"]]))).size,
    ).toBe(1);
    const notes = ((server.received.at(-1)?.body.messages ?? []) as { role: string; content: string }[]).filter(
      ({ role, content }) => role === "user" && content.includes("does not fit its schema"),
    );
    expect(notes).toHaveLength(1);
    for (const name of ["note-1.txt", "note-3.txt"]) {
      expect(await fileText(dataDir, runId, name)).toBe(`of ${name}`);
    }
    console.log(`${kills.length} kills; ${server.received.length} model calls for 4 steps`);
    db.close();
    await service.end("SIGTERM");
    rmSync(dataDir, { recursive: true });
  });
}

testResultKills("tool", "fits");
testResultKills("native", "does not fit");
