import type { Run, Runs, RunView } from "../../lambdas/runs/ports.ts";
import { acceptInput, stopRun } from "../../lambdas/runs/use-cases.ts";
import { findAgent } from "./agents.ts";
import { type Command, normalId, Problem, required } from "./command.ts";
import { printable, record, table, time } from "./output.ts";

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
      const rows = (await runs.listByAgent(id, Number(limit))).map(fields);
      return table(rows, ["id", "status", "turns", "created_at", "name"], `Agent ${id} has no runs.`);
    },
  },
  {
    noun: "run",
    verb: "show",
    operand: "ID",
    summary: "shows a run, its files and its transcript",
    async run({ runs, workspace }, { operand }) {
      const { run, transcript } = await findRun(runs, operand);
      const files = await workspace.list(run.id);
      const { failure } = run;
      const head = record({ ...fields(run), failure: failure && `${failure.title} ${failure.remedy}` });
      const listed = files.map(({ name, size }) => `  ${printable(name)} (${size} bytes)`);
      const messages = transcript.map(({ role, text }) => `\n${role}:\n${printable(text)}`);
      const text = [head.text, listed.length > 0 ? ["files", ...listed].join("\n") : "no files", ...messages].join(
        "\n",
      );
      return { text, json: { ...fields(run), failure, files, transcript } };
    },
  },
  {
    noun: "run",
    verb: "input",
    operand: "ID",
    summary: "gives an idle (finished) run its next input",
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
];

async function findRun(runs: Runs, id: string): Promise<RunView> {
  const found = await runs.read(normalId(id));
  if (!found) throw new Problem(`there is no run ${JSON.stringify(id)}; run list --agent ID shows an agent's runs`);
  return found;
}

function fields({ id, name, status, turn, agentId, createdAt, updatedAt }: Run) {
  return { id, name, status, turns: turn, agent: agentId, created_at: time(createdAt), updated_at: time(updatedAt) };
}
