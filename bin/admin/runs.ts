import { setTimeout as sleep } from "node:timers/promises";
import type { Run, RunView } from "../../src/runs/types.ts";
import type { Runs } from "../../src/runs/ports.ts";
import { acceptInput, deleteRun, stopRun } from "../../src/runs/control-run.ts";
import { findAgent } from "../../src/accounts/agents.ts";
import { type Command, normalId, type Output, Problem, required } from "./command.ts";
import { printable, record, table, time } from "./output.ts";
import { eventOutput } from "./format-steps.ts";

const defaultListed = 20;
const maxListed = 1000;

export const runCommands: Command[] = [
  {
    noun: "run",
    verb: "list",
    summary: `lists an agent's runs, newest first (at most ${defaultListed}, or --limit)`,
    options: { agent: { value: "ID", required: true }, limit: { value: "N" } },
    async run({ accounts, runs }, given) {
      const { id } = await findAgent(accounts, required(given, "agent"));
      const { limit = String(defaultListed) } = given.options;
      if (!/^\d+$/.test(limit) || Number(limit) < 1 || Number(limit) > maxListed) {
        throw new Problem(`--limit is ${JSON.stringify(limit)}; it takes a whole number from 1 to ${maxListed}`);
      }
      const now = Date.now();
      const rows = (await runs.listByAgent(id, Number(limit))).map((run) =>
        Object.assign(fields(run), { age: age(now - run.createdAt) }, usage(run)),
      );
      return table(rows, ["id", "status", "age", "turns", "tokens", "name"], `Agent ${id} has no runs.`);
    },
  },
  {
    noun: "run",
    verb: "show",
    operand: "ID",
    summary: "shows a run, its files, steps and transcript; with --events its steps as they happen, until it is idle",
    options: { events: {} },
    async run({ runs, workspace }, { operand, flags }) {
      const { run, transcript } = await findRun(runs, operand);
      if (flags.has("events")) return events(runs, run.id);
      const [files, steps] = await Promise.all([workspace.list(run.id), runs.listSteps(run.id)]);
      const { failure } = run;
      const head = record({
        ...fields(run),
        ...usage(run),
        failure: failure && `${failure.title} ${failure.remedy}`,
        failure_category: failure && `${failure.category}${failure.retryable ? " (waiting may help)" : ""}`,
      });
      const text = [
        head.text,
        files.length > 0 ? "files" : "no files",
        ...files.map(({ name, size }) => `  ${printable(name)} (${size} bytes)`),
        ...(steps.length > 0 ? ["", ...steps.map((step) => eventOutput(step).text)] : []),
        ...transcript.map(({ role, text: message }) => `\n${role}:\n${printable(message)}`),
      ].join("\n");
      const used = { ...usage(run), steps: steps.map((step) => eventOutput(step).json) };
      return { text, json: { ...fields(run), ...used, failure, files, transcript } };
    },
  },
  {
    noun: "run",
    verb: "input",
    operand: "ID",
    summary: "gives a run its next input; one that is running takes it when its turn ends",
    options: { text: { value: "T", required: true } },
    async run({ runs, workflow }, given) {
      const { run } = await findRun(runs, given.operand);
      await acceptInput({ runs, workflow, now: Date.now }, run.id, required(given, "text"));
      return record(fields((await findRun(runs, run.id)).run));
    },
  },
  {
    noun: "run",
    verb: "stop",
    operand: "ID",
    summary: "makes a run terminated, at once and for good",
    async run({ runs, workflow }, { operand }) {
      const { run } = await findRun(runs, operand);
      await stopRun({ runs, workflow, now: Date.now }, run.id);
      return record(fields((await findRun(runs, run.id)).run));
    },
  },
  {
    noun: "run",
    verb: "delete",
    operand: "ID",
    summary: "stops a run and removes its transcript, steps and files, for good",
    async run({ runs, workflow, workspace }, { operand }) {
      const { run } = await findRun(runs, operand);
      await deleteRun({ runs, workflow, workspace, now: Date.now }, run.id);
      return record(fields((await findRun(runs, run.id)).run));
    },
  },
];

/** Milliseconds between two looks at a run that goes on. */
const lookAgain = 500;

/** Each step of a run once it is recorded, and at the end the run, when it is no longer running. */
async function* events(runs: Runs, id: string): AsyncGenerator<Output> {
  const told = new Set<string>();
  for (;;) {
    const { run } = await findRun(runs, id); // before its steps, so that none is missed when it has ended
    const steps = await runs.listSteps(id);
    for (const step of steps) {
      const place = [step.turn, step.step, step.part, "call" in step ? step.call : ""].join(" ");
      if (!told.has(place)) yield eventOutput(step);
      told.add(place);
    }
    if (run.status !== "running") {
      const { status, failure } = run;
      const text = failure ? `${status}: ${failure.title} ${failure.remedy}` : status;
      return yield { text: printable(text), json: { event: "run-idle", status, failure } };
    }
    await sleep(lookAgain);
  }
}

async function findRun(runs: Runs, id: string): Promise<RunView> {
  const found = await runs.read(normalId(id));
  if (!found) throw new Problem(`there is no run ${JSON.stringify(id)}; run list --agent ID shows an agent's runs`);
  return found;
}

function fields({ id, name, status, turn, agentId, createdAt, updatedAt }: Run) {
  return { id, name, status, turns: turn, agent: agentId, created_at: time(createdAt), updated_at: time(updatedAt) };
}

/** What a run has used up so far; nothing for one without a model call. */
function usage({ used }: Run) {
  if (!used) return {};
  const { steps: model_calls, inputTokens, outputTokens, dollars } = used;
  return {
    model_calls,
    tokens: inputTokens + outputTokens,
    input_tokens: inputTokens,
    cached_input_tokens: used.cachedInputTokens,
    cache_write_input_tokens: used.cacheWriteInputTokens,
    output_tokens: outputTokens,
    reasoning_tokens: used.reasoningTokens,
    dollars: dollars > 0 ? Number(dollars.toFixed(6)) : undefined,
  };
}

/** Milliseconds in the largest unit that fits, such as `3 h`. */
function age(milliseconds: number): string {
  const units = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["min", 60_000],
  ] as const;
  const [unit, size] = units.find(([, most]) => milliseconds >= most) ?? (["s", 1_000] as const);
  return `${Math.max(0, Math.floor(milliseconds / size))} ${unit}`;
}
