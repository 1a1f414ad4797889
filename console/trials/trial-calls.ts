import { operations } from "../../src/manage/generated/trial-operations.ts";
import { call } from "../api/client.ts";
import { addOperations } from "../api/operations.ts";
import type { Agent, Schemas } from "../api/types.ts";
import { readAgents } from "../state/agents.ts";

addOperations(operations);

export type Trial = Schemas["Trial"];
export type TrialHead = Schemas["TrialHead"];
export type TrialCase = Schemas["TrialCase"];
export type TrialAttempt = Schemas["TrialAttempt"];
export type CaseDetail = Schemas["TrialCaseDetail"];
export type PairOfCalls = CaseDetail["calls"][number];
export type Comparison = Schemas["RunComparison"];
export type Verdict = NonNullable<TrialCase["verdict"]>;

export interface TrialWithCases {
  trial: Trial;
  /** Those that need review come first. */
  cases: TrialCase[];
}

/** Whether cases of a trial are in progress. */
export function isLive({ status }: Pick<Trial, "status">): boolean {
  return status === "running" || status === "stopping";
}

/** Creates a trial. No model or tool is called before it is started. */
export function createTrial(agentId: string, body: Schemas["CreateTrialRequest"]): Promise<Trial> {
  return call("create_trial", { agent_id: agentId }, { body });
}

export async function readTrial(id: string, signal?: AbortSignal): Promise<TrialWithCases> {
  const [trial, cases] = await Promise.all([
    readTrialAlone(id, signal),
    call("list_trial_cases", { trial_id: id }, { signal }),
  ]);
  return { trial, cases: cases.data };
}

/** A trial without its cases. */
export function readTrialAlone(id: string, signal?: AbortSignal): Promise<Trial> {
  return call("get_trial", { trial_id: id }, { signal });
}

export async function readTrials(agentId: string, signal?: AbortSignal): Promise<TrialHead[]> {
  return (await call("list_trials", { agent_id: agentId, limit: 100 }, { signal })).data;
}

export async function readRefused(id: string): Promise<TrialCase[]> {
  return (await call("list_trial_cases", { trial_id: id, verdict: "cannot_be_tried" })).data;
}

export function readCase(id: string, number: number, signal?: AbortSignal): Promise<CaseDetail> {
  return call("get_trial_case", { trial_id: id, number }, { signal });
}

/** A turn of a run. Without `turn`: the last one. */
interface TurnPlace {
  id: string;
  turn: number | undefined;
}

export function readComparison(left: TurnPlace, right: TurnPlace, signal?: AbortSignal): Promise<Comparison> {
  const turns = { ...(left.turn && { turn: left.turn }), ...(right.turn && { other_turn: right.turn }) };
  return call("compare_runs", { run_id: left.id, other_run_id: right.id, ...turns }, { signal });
}

export function startTrial(id: string): Promise<Trial> {
  return call("start_trial", { trial_id: id });
}

export function stopTrial(id: string): Promise<Trial> {
  return call("stop_trial", { trial_id: id });
}

export async function deleteTrial(id: string): Promise<void> {
  await call("delete_trial", { trial_id: id });
}

export type KeptCases = Schemas["AddedCases"];

/** Names of the suites of an agent, newest first. */
export async function readSuites(agentId: string): Promise<string[]> {
  return (await call("list_suites", { agent_id: agentId })).data.map(({ name }) => name);
}

/** Keeps turns in a suite, which is created if the agent has none of the name. */
export async function keepCases(agentId: string, suite: string, body: Schemas["AddCasesRequest"]): Promise<KeptCases> {
  if (!(await readSuites(agentId)).includes(suite)) {
    await call("create_suite", { agent_id: agentId }, { body: { name: suite } });
  }
  return call("add_cases", { agent_id: agentId, suite }, { body });
}

/** Stores what a trial tried as a new version of its agent, which keeps the trial. */
export async function saveTried(trial: Pick<Trial, "id" | "agent_id" | "definition">): Promise<Agent> {
  const body = { definition: trial.definition, trial_id: trial.id };
  const agent = await call("update_agent", { agent_id: trial.agent_id }, { body });
  readAgents().catch(() => undefined); // the version is stored, whether this succeeds or not
  return agent;
}

/** Sets a person's verdict. Null: the computed one applies again. */
export function judge(id: string, number: number, verdict: Verdict | null): Promise<TrialCase> {
  return call("set_verdict", { trial_id: id, number }, { body: { verdict } });
}
