import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization, setModel } from "../../../src/accounts/organizations.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { acceptInput } from "../../../src/runs/control/control-run.ts";
import { createRun } from "../../../src/runs/begin/create-run.ts";
import { driveTrial } from "../../../src/trials/drive-trial.ts";
import { evaluateAttempt } from "../../../src/trials/evaluate-attempt.ts";
import { startAttempt } from "../../../src/trials/start-attempt.ts";
import { attemptNames } from "../../../src/trials/trial-types.ts";
import { newRunId } from "../../../src/runs/begin/run-id.ts";
import { graceSeconds } from "../../../src/workflow/policy.ts";
import { chatServer, scripted } from "../../providers/chat-completions-server.ts";
import { type AwsHandlers, awsHandlers } from "../../support/aws-handlers.ts";

// Trials through the exported handlers of the functions. A test invokes the executions that Step Functions would run.

const definition = {
  name: "Agent",
  instructions: "Work.",
  tools: ["read_file", "write_file"],
  limits: { steps: 20, tokens: 1e6, seconds: 60_000 },
  prices: { input: 1, output: 10 },
};

/** Writes or reads a file, as the input says, and answers with the result, or loudly. As a judge, prefers what is loud. */
const works = scripted(({ instructions, input, results: [result] }) => {
  if (instructions.startsWith("Judge.")) {
    const isLoud = /--- ANSWER A \w+\n[^a-z]+\n/.test(input);
    return { text: JSON.stringify({ reason: "It is loud.", better: isLoud ? "A" : "B" }) };
  }
  const [verb, text] = input.split(" ");
  if (result !== undefined) return { text: instructions === "Shout." ? result.toUpperCase() : result };
  if (verb === "Write") return { calls: [["write_file", { name: "note.txt", content: text }]] };
  return { calls: [["read_file", { name: "note.txt" }]] };
});

let service: AwsHandlers;
let aws: AwsHandlers["aws"];
let platform: AwsHandlers["platform"];
let model: Awaited<ReturnType<typeof chatServer>>;
let agentId: string;
/** Milliseconds that the clock is ahead. */
let ahead = 0;

beforeAll(async () => {
  model = await chatServer(...Array.from({ length: 200 }, () => works));
  vi.spyOn(process.stdout, "write").mockReturnValue(true); // metrics
  const systemTime = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => systemTime() + ahead);
  service = await awsHandlers();
  ({ aws, platform } = service);
  const { id: organizationId } = await createOrganization(platform.accounts, { name: "O" });
  const settings = { provider: "openai-compatible", baseUrl: model.baseUrl, model: "m", enabled: true } as const;
  await setModel(platform.accounts, organizationId, settings);
  ({ id: agentId } = await createAgent(platform.accounts, organizationId, definition));
  const deps = { ...platform, now: Date.now, secretRefusal: () => undefined };
  const first = await createRun(deps, { agentId, organizationId }, { name: "Two turns", text: "Write one" });
  await createRun(deps, { agentId, organizationId }, { name: "One turn", text: "Write two" });
  await work();
  await acceptInput(deps, first.id, "Read");
  await work();
});

afterAll(async () => {
  vi.restoreAllMocks();
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

beforeEach(() => {
  aws.started.length = 0;
  model.received.length = 0;
});

const runExecution = (input: string) => service.runExecution(input);
const endUnnoticed = (input: string) => service.endUnnoticed(input);
const work = () => service.work();
const sweep = () => service.sweep();

/** Sends a request, such as `GET /runs`, to the management API as an operator who has signed in. */
function call<Body>(request: string, body?: object): Promise<Body> {
  const [method = "", path = ""] = request.split(" ");
  return service.call<Body>(method, path, body);
}

/** A trial of the last turns of both runs: one of them has a turn before it. */
async function newTrial(more: object = {}): Promise<string> {
  const body = { definition, last: 2, budget: { dollars: 1 }, control: 0, concurrency: 1, ...more };
  const { id, estimate } = await call<Schemas["Trial"]>(`POST /agents/${agentId}/trials`, body);
  expect(estimate.cases).toBe(2);
  return id;
}

async function outcomeOf(id: string) {
  const { status, summary } = await call<Schemas["Trial"]>(`GET /trials/${id}`);
  const { data } = await call<Schemas["TrialCasePage"]>(`GET /trials/${id}/cases`);
  return { status, text: summary.text, verdicts: data.map(({ verdict }) => verdict) };
}

const bothSame = { status: "finished", verdicts: ["same", "same"] };

test("a trial on AWS goes on with the end of each turn", async () => {
  const id = await newTrial({ assertions: [{ kind: "file_exists", name: "note.txt" }], control: 2 });
  await call(`POST /trials/${id}/start`);
  expect(aws.running.size).toBe(1);
  await work();
  const outcome = await outcomeOf(id);
  expect(outcome).toMatchObject(bothSame);
  expect(outcome.text).toContain("current against itself: 0 of 2 differ");
  expect(model.received).toHaveLength(8);
});

test("a case is tried once although two processes move the trial on at the same time", async () => {
  const id = await newTrial({ control: 2, concurrency: 4 });
  await call(`POST /trials/${id}/start`);
  while (aws.running.size > 0) {
    const [[name, input] = ["", ""]] = aws.running;
    await Promise.all([runExecution(input), sweep()]);
    aws.running.delete(name);
  }
  expect(await outcomeOf(id)).toMatchObject(bothSame);
  expect(new Set(aws.started).size).toBe(4);
  expect(model.received).toHaveLength(8);
});

test("the sweep creates the run of an attempt whose process was killed before it did", async () => {
  const id = await newTrial();
  const [trial, first] = [await platform.trials.find(id), await platform.trials.findCase(id, 1)];
  if (!trial || !first) throw new Error("the trial does not exist");
  const candidate = { runId: newRunId(Date.now()), budget: { dollars: 0.5 } };
  await platform.trials.replaceCase({ ...first, candidate, revision: 1 });
  await platform.trials.replace({ ...trial, status: "running", revision: 1 });
  await sweep();
  expect(aws.started).toEqual([expect.stringContaining(candidate.runId)]);
  await work();
  expect(await outcomeOf(id)).toMatchObject(bothSame);
});

test("the sweep starts the run of an attempt whose process was killed before it did", async () => {
  const id = await newTrial();
  const [trial, first] = [await platform.trials.find(id), await platform.trials.findCase(id, 1)];
  if (!trial || !first) throw new Error("the trial does not exist");
  const candidate = { runId: newRunId(Date.now()), budget: { dollars: 0.5 } };
  const created = { ...first, candidate, revision: 1 };
  await platform.trials.replaceCase(created);
  await platform.trials.replace({ ...trial, status: "running", revision: 1 });
  const killed = { start: () => Promise.reject(new Error("killed")), stop: async () => {} };
  const starting = startAttempt({ ...platform, workflow: killed, now: Date.now }, trial, created, "candidate");
  await expect(starting).rejects.toThrow("killed");
  ahead += 2 * graceSeconds * 1_000;
  await sweep();
  expect(aws.started).toEqual([expect.stringContaining(candidate.runId)]);
  await work();
  expect(await outcomeOf(id)).toMatchObject(bothSame);
});

/** Starts a trial and invokes its first turn without the state machine's ARN: as if the process were killed at its end. */
async function endedUnnoticed(more: object = {}): Promise<{ id: string; input: string }> {
  const id = await newTrial(more);
  await call(`POST /trials/${id}/start`);
  const [input = ""] = aws.running.values();
  await endUnnoticed(input);
  aws.running.clear();
  expect((await outcomeOf(id)).verdicts).toEqual([null, null]);
  return { id, input };
}

test("the repeated invocation of an ended turn moves the trial on, after a process that was killed", async () => {
  const { id, input } = await endedUnnoticed();
  await runExecution(input);
  await work();
  expect(await outcomeOf(id)).toMatchObject(bothSame);
});

test("the sweep leaves a pattern to the processes of the turn, and later says that it cannot check it", async () => {
  const { id } = await endedUnnoticed({ assertions: [{ kind: "output_matches", pattern: "note" }] });
  await sweep();
  expect((await outcomeOf(id)).verdicts).toEqual([null, null]);
  ahead += 600_000;
  await sweep();
  const one = await call<Schemas["TrialCaseDetail"]>(`GET /trials/${id}/cases/1`);
  expect(one.case.candidate?.assertions[0]?.reason).toContain(
    "could not be checked: this service cannot check results",
  );
  await call(`POST /trials/${id}/stop`);
});

test("each step is asked for once, although two processes move the trial on at the same time", async () => {
  const loud = { ...definition, instructions: "Shout." };
  const id = await newTrial({ definition: loud, control: 2, concurrency: 4 });
  await call(`POST /trials/${id}/start`);
  while (aws.running.size > 0) {
    const [[name, input] = ["", ""]] = aws.running;
    await Promise.all([runExecution(input), sweep()]);
    aws.running.delete(name);
  }
  const outcome = await outcomeOf(id);
  expect(outcome).toMatchObject({ status: "finished", verdicts: ["different", "different"] });
  expect(outcome.text).toContain("current against itself: 0 of 2 differ");
  expect(model.received).toHaveLength(8);
});

test("the sweep moves a trial on, after a process that was killed at the end of a turn", async () => {
  const { id } = await endedUnnoticed();
  await sweep();
  await work();
  expect(await outcomeOf(id)).toMatchObject(bothSame);
});

describe("a judge on AWS", () => {
  const judged = {
    definition: { ...definition, instructions: "Shout." },
    judge: { definition: { ...definition, instructions: "Judge." } },
  };
  const bothBetter = { status: "finished", verdicts: ["better", "better"] };

  test("votes after the end of each turn that differs", async () => {
    const id = await newTrial(judged);
    await call(`POST /trials/${id}/start`);
    await work();
    expect(await outcomeOf(id)).toMatchObject(bothBetter);
    expect(model.received).toHaveLength(8);
    const { judge } = (await call<Schemas["Trial"]>(`GET /trials/${id}`)).summary.spent;
    expect(judge).toMatchObject({ tokens: 440 });
  });

  test("votes once although two processes move the trial on at the same time", async () => {
    const id = await newTrial({ ...judged, concurrency: 4 });
    await call(`POST /trials/${id}/start`);
    while (aws.running.size > 0) {
      const [[name, input] = ["", ""]] = aws.running;
      await Promise.all([runExecution(input), sweep()]);
      aws.running.delete(name);
    }
    expect(await outcomeOf(id)).toMatchObject(bothBetter);
    expect(model.received).toHaveLength(8);
  });

  test("is asked by the sweep, after a process that was killed at the end of the turn", async () => {
    const { id } = await endedUnnoticed(judged);
    await sweep();
    expect(aws.started).toHaveLength(3); // the attempt and two votes
    expect((await outcomeOf(id)).verdicts).toEqual([null, null]);
    await work();
    expect(await outcomeOf(id)).toMatchObject(bothBetter);
  });

  test("is asked again by the sweep, after a process that was killed before it created the runs of the votes", async () => {
    const { id } = await endedUnnoticed(judged);
    const [trial, one] = [await platform.trials.find(id), await platform.trials.findCase(id, 1)];
    const run = await platform.runs.head(one?.candidate?.runId ?? "");
    if (!trial || !one?.candidate || !run) throw new Error("the case was not tried");
    const attempt = { name: "candidate", attempt: { budget: {} }, run } as const;
    const outcome = await evaluateAttempt(platform, trial, one, attempt);
    const budget = { dollars: 0.1 };
    const votes = {
      recordedFirst: { runId: newRunId(Date.now()), budget },
      candidateFirst: { runId: newRunId(Date.now()), budget },
    };
    const candidate = { ...one.candidate, outcome } as typeof one.candidate;
    await platform.trials.replaceCase({ ...one, candidate, ...votes, revision: one.revision + 1 });
    await sweep();
    await work();
    expect(await outcomeOf(id)).toMatchObject(bothBetter);
    const started = Object.values(votes).map(({ runId }) => expect.stringContaining(runId));
    expect(aws.started).toEqual(expect.arrayContaining(started));
  });

  test("stops with the trial: the case is different", async () => {
    const { id } = await endedUnnoticed(judged);
    await sweep();
    await call(`POST /trials/${id}/stop`);
    aws.running.clear();
    expect(await outcomeOf(id)).toMatchObject({ status: "finished", verdicts: ["different", null] });
  });
});

/** Moves a trial on in a process in which `between` happens once, before it claims attempts. */
async function drive(id: string, between: () => Promise<unknown>): Promise<void> {
  const { trials } = platform;
  let once: Promise<unknown> | undefined;
  const claim: typeof trials.claim = async (trial, cases) => {
    await (once ??= between());
    return trials.claim(trial, cases);
  };
  await driveTrial({ ...platform, now: Date.now, trials: { ...trials, claim } }, id);
}

/** A person's verdict on case 1. */
const equal = (id: string) => call(`PUT /trials/${id}/cases/1/verdict`, { verdict: "equal" });

/** A trial that no process has moved on yet. */
async function startedTrial(more: object = {}): Promise<string> {
  const id = await newTrial(more);
  const trial = await platform.trials.find(id);
  if (!trial) throw new Error("the trial does not exist");
  await platform.trials.replace({ ...trial, status: "running", revision: 1 });
  return id;
}

describe("a process that moves a trial on", () => {
  test("stays within the budget, although another one starts other attempts with its own view of what is left", async () => {
    const shout = { definition: { ...definition, instructions: "Shout." } };
    const judge = { definition: { ...definition, instructions: "Judge." } };
    const id = await newTrial({ ...shout, judge, control: 2, concurrency: 2, budget: { tokens: 10_000 } });
    // Both candidates, without a control.
    const before = await platform.trials.listCases(id);
    for (const one of before) {
      const candidate = { runId: newRunId(Date.now()), budget: { tokens: 5_000 } };
      await platform.trials.replaceCase({ ...one, candidate, revision: 1 });
    }
    await call(`POST /trials/${id}/start`);
    await equal(id);
    const cases = await platform.trials.listCases(id);
    const inputs = cases.map(
      ({ candidate }) => [...aws.running.values()].find((input) => input.includes(candidate?.runId ?? "-")) ?? "",
    );
    await endUnnoticed(inputs[0] ?? "");
    // One process is to start the control of case 1. Another one sees that case 2 has ended, too, and starts votes on it.
    await drive(id, () => runExecution(inputs[1] ?? ""));
    const attempts = (await platform.trials.listCases(id)).flatMap((one) =>
      attemptNames.flatMap((name) => one[name] ?? []),
    );
    expect(attempts.filter(({ outcome }) => !outcome)).toHaveLength(2);
    const tokens = attempts.map(({ budget, outcome }) =>
      outcome ? outcome.used.inputTokens + outcome.used.outputTokens : (budget.tokens ?? 0),
    );
    expect(tokens.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(10_000);
    await work();
    expect(await outcomeOf(id)).toMatchObject({ status: "finished", verdicts: ["better", "equal"] });
  });

  test("starts nothing that the end of the trial has not counted", async () => {
    const id = await startedTrial({ control: 1, concurrency: 2 });
    const { workflow } = platform;
    let once: Promise<unknown> | undefined;
    const start: typeof workflow.start = async (...run) => {
      await workflow.start(...run);
      await (once ??= call(`POST /trials/${id}/stop`)); // before the control is created
    };
    await driveTrial({ ...platform, now: Date.now, workflow: { ...workflow, start } }, id);
    expect(aws.started).toHaveLength(2);
    await work();
    expect(await outcomeOf(id)).toMatchObject({ status: "finished", verdicts: [null, null] });
    expect(model.received).toHaveLength(0);
  });

  test("continues after a verdict of a person that came before its claim", async () => {
    const id = await startedTrial();
    await drive(id, () => equal(id));
    await work();
    expect(await outcomeOf(id)).toMatchObject({ status: "finished", verdicts: ["same", "equal"] });
    expect(model.received).toHaveLength(4);
  });
});

test("a suite on AWS keeps turns and their texts longer than the retention, and a trial tries them", async () => {
  const suite = `/agents/${agentId}/suites`;
  await call(`POST ${suite}`, { name: "kept" });
  const { data: runs } = await call<Schemas["RunPage"]>("GET /runs");
  const cases = runs.map(({ id }) => ({ run_id: id }));
  const { added } = await call<Schemas["AddedCases"]>(`POST ${suite}/kept/cases`, { cases });
  expect(added).toHaveLength(3);
  ahead += 91 * 86_400_000;
  for (const { run_id: id } of cases) expect(await platform.runs.head(id)).toBeUndefined();
  const body = { definition, suite: "kept", budget: { dollars: 1 }, control: 0, concurrency: 4 };
  const { id } = await call<Schemas["Trial"]>(`POST /agents/${agentId}/trials`, body);
  await call(`POST /trials/${id}/start`);
  await work();
  expect(await outcomeOf(id)).toMatchObject({ status: "finished", verdicts: ["same", "same", "same"] });
  await call(`DELETE ${suite}/kept`);
  for (const { id: caseId } of added) expect(await platform.runs.head(caseId)).toBeUndefined();
  ahead -= 91 * 86_400_000;
});

test("a trial that is stopped stops its runs and ends, and is deleted with them", async () => {
  const id = await newTrial();
  await call(`POST /trials/${id}/start`);
  await call(`POST /trials/${id}/stop`);
  aws.running.clear();
  expect(await outcomeOf(id)).toEqual({ status: "finished", text: expect.any(String), verdicts: [null, null] });
  const runId = (await platform.trials.findCase(id, 1))?.candidate?.runId ?? "";
  expect(await platform.runs.head(runId)).toMatchObject({ status: "terminated" });
  ahead += 60_000; // the worker of a stopped run has stopped writing
  await call(`DELETE /trials/${id}`);
  expect(await platform.runs.head(runId)).toBeUndefined();
  await expect(call(`GET /trials/${id}`)).rejects.toThrow("trial_not_found");
});
