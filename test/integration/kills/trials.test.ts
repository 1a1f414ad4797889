import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as tick } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { callOf } from "../../browser/manage-call.ts";
import { answersIn, chatServer, scripted, slowly } from "../../providers/chat-completions-server.ts";
import type { Received } from "../../providers/model-server.ts";
import { modelAt, newDataDir, type Service, startService } from "../service.ts";

vi.setConfig({ testTimeout: 300_000 }); // a start takes seconds on a busy machine

const cases = 4;
const concurrency = 2;

const definition = {
  name: "Reporter",
  instructions: "Write reports.",
  tools: ["write_file"],
  limits: { steps: 10, tokens: 100_000, seconds: 600 },
  prices: { input: 1, output: 10 },
};
const draft = { ...definition, instructions: "Write loud reports." };
const judge = { ...definition, name: "Judge", instructions: "Prefer capitals." };

/** Writes the input to a file and answers with it. Loud instructions change every second input. The judge prefers capitals. */
const works = slowly(
  scripted(({ instructions, input, results }) => {
    if (instructions.startsWith("Prefer")) {
      const better = /--- ANSWER A \w+\n[A-Z]{2}/.test(input) ? "A" : "B";
      return { text: JSON.stringify({ reason: "It is loud.", better }) };
    }
    const text = instructions.includes("loud") && input.startsWith("odd") ? input.toUpperCase() : input;
    return results.length === 0 ? { calls: [["write_file", { name: "report.txt", content: text }]] } : { text };
  }),
);

/** Which model call of a trial a request is: of which attempt or vote, and its step. */
function nameOf({ body }: Received): string {
  const messages = body.messages as { role: string; content?: unknown }[];
  const [system = "", input = ""] = [messages[0]?.content, messages[1]?.content].map(String);
  if (system.startsWith("Prefer")) {
    const number = /--- INPUT \w+\n\w+ (\d)/.exec(input)?.[1];
    return `${number} ${/--- ANSWER A \w+\n[A-Z]{2}/.test(input) ? "candidateFirst" : "recordedFirst"} 1`;
  }
  const arm = system.includes("loud") ? "candidate" : "control";
  return `${/\d/.exec(input)?.[0]} ${arm} ${answersIn(messages) + 1}`;
}

/** Model calls of the candidates, the control and the judge. */
const expectedCalls = [8, 2, 4];
const total = expectedCalls.reduce((sum, each) => sum + each, 0);

/** Kills the service at every `every`-th record of a trial with a control arm and a judge, and in model calls. */
function testTrialKills(every: number): void {
  test(`a trial that is killed at every ${every === 1 ? "record" : `${every} records`} ends with all verdicts, and pays only calls in progress again`, async () => {
    await using server = await chatServer(...Array.from({ length: 1_000 }, () => works));
    const dataDir = newDataDir();
    const args = modelAt(server.baseUrl);
    let service: Service = await startService(dataDir, args);
    const call = async (...request: Parameters<ReturnType<typeof callOf>>): Promise<unknown> =>
      callOf(service)(...request);
    const { templateId } = service;
    const { organization_id } = (await call("GET", `/agents/${templateId}`)) as Schemas["Agent"];
    const { id: agentId } = (await call("POST", "/agents", { organization_id, definition })) as Schemas["Agent"];
    for (let number = 1; number <= cases; number++) {
      const input_text = `${number % 2 === 0 ? "even" : "odd"} ${number}`;
      const body = { agent_id: agentId, name: input_text, input_text };
      const { id } = (await call("POST", "/runs", body)) as Schemas["CreatedRun"];
      const status = async () => ((await call("GET", `/runs/${id}`)) as Schemas["RunDetail"]).status;
      while ((await status()) === "running") await tick();
    }
    const recordedCalls = server.received.length;
    const { id: trialId } = (await call("POST", `/agents/${agentId}/trials`, {
      definition: draft,
      last: cases,
      control: 1,
      concurrency,
      judge: { definition: judge },
      budget: { dollars: 1 },
    })) as Schemas["Trial"];

    const db = new DatabaseSync(join(dataDir, "runs.sqlite"), { readOnly: true });
    const written = db.prepare(`SELECT (SELECT sum(revision) FROM trial_cases) + (SELECT count(*) FROM journal
      JOIN runs ON seq = run WHERE agent_id LIKE 'trial-%' AND body ->> 'part' <> 'resumed') AS n`);
    const answered = db.prepare(`SELECT c.body ->> '$.source.input' AS input, f.body ->> '$.trial.arm' AS arm,
      (SELECT count(*) FROM journal AS a WHERE a.run = f.run AND a.body ->> 'part' = 'answer') AS steps
      FROM journal AS f JOIN trial_cases AS c ON c.number = f.body ->> '$.trial.case'`);
    const trialStatus = db.prepare("SELECT status FROM trials");
    const isRunning = () => trialStatus.get()?.["status"] === "running";
    const records = () => Number(written.get()?.["n"]);
    const calls = () => server.received.slice(recordedCalls).map(nameOf);

    /** At each kill: the model calls until then, and those of them whose answers are recorded. */
    const kills: { calls: number; paid: Set<string> }[] = [];
    async function killAndRestart(): Promise<void> {
      expect(await service.end("SIGKILL")).toBe("SIGKILL");
      const paid = answered
        .all()
        .flatMap(({ input, arm, steps }) =>
          Array.from({ length: Number(steps) }, (_, step) => `${String(input).slice(-1)} ${String(arm)} ${step + 1}`),
        );
      kills.push({ calls: calls().length, paid: new Set(paid) });
      service = await startService(dataDir, args);
    }

    await call("POST", `/trials/${trialId}/start`);
    while (isRunning()) {
      const next = records() + every;
      while (isRunning() && records() < next) await tick();
      if (isRunning()) await killAndRestart();
      if (kills.length % 3 !== 0) continue;
      const before = server.received.length;
      while (isRunning() && server.received.length === before) await tick();
      if (isRunning()) await killAndRestart(); // in a model call
    }

    const { status, summary } = (await call("GET", `/trials/${trialId}`)) as Schemas["Trial"];
    const { data } = (await call("GET", `/trials/${trialId}/cases`)) as Schemas["TrialCasePage"];
    const verdicts = data.map(({ input, verdict }) => `${input.split(" ")[0]}: ${verdict}`).toSorted();
    expect([status, summary.control?.differ]).toEqual(["finished", 0]);
    expect(verdicts).toEqual(["even: same", "even: same", "odd: better", "odd: better"]);
    // What was spent counts each answer once.
    const { candidate, control, judge: judged } = summary.spent;
    const perCall = 110; // tokens of an answer of the scripted model
    expect([candidate.tokens, control.tokens, judged?.tokens ?? 0]).toEqual(expectedCalls.map((n) => n * perCall));
    const all = calls();
    expect(new Set(all).size).toBe(total);
    for (const { calls: count, paid } of kills) expect(all.slice(count).filter((name) => paid.has(name))).toEqual([]);
    // A kill repeats at most the calls in progress: the two votes on a case can begin with a single place.
    expect(all.length).toBeLessThanOrEqual(total + kills.length * (concurrency + 1));
    // Each attempt and each vote has one run.
    const tried = data.flatMap(({ candidate: one, control: other }) => [one, other]);
    const votes = data.flatMap(({ judgement }) => judgement?.votes ?? []);
    const attempts = [...tried, ...votes].flatMap((each) => each?.run_id ?? []);
    const ids = db.prepare("SELECT id FROM runs WHERE agent_id LIKE 'trial-%'").all();
    expect(attempts).toHaveLength(ids.length);
    expect(new Set(ids.map(({ id }) => id))).toEqual(new Set(attempts));
    console.log(`${kills.length} kills; ${all.length} model calls for ${total}`);
    db.close();
    await service.end("SIGTERM");
    rmSync(dataDir, { recursive: true });
  });
}

testTrialKills(1);
