import type { Failure } from "../agent/model.ts";
import type { MissRule } from "../agent/tools/recorded.ts";
import type { OfferedTool } from "../agent/tools/tool.ts";
import type { AgentDefinition } from "../accounts/types.ts";
import type { ConfiguredAgent } from "../runs/turn-configuration.ts";
import type { destinationKinds, TrialMode, TrialTier, TrialStatus, Verdict } from "./names.ts";
import type { Usage } from "../agent/turn/limits.ts";

/**
 * A trial of a change of an agent: a candidate configuration runs on turns that were recorded. Times are milliseconds since 1970.
 *
 * Tools on files run on a private copy of the files as they were. Calls that leave the service are answered from the record of
 * the same turn.
 */
export interface Trial {
  id: string;
  agentId: string;
  organizationId: string;
  /** Absent: `rerun`. */
  mode?: Exclude<TrialMode, "rerun">;
  /** The suite whose cases it tries. Absent: it tries turns of runs. */
  suite?: { id: string; name: string };
  /** Of the operator. */
  createdBy?: string;
  createdAt: number;
  updatedAt: number;
  /** Number of times the record was replaced. */
  revision: number;
  status: TrialStatus;
  /** Why the trial started no further case. Absent: it has not ended, or all cases were tried. */
  endedBy?: "budget" | "operator";
  /** Of a replay: the agent's current definition, as `control`. Its cases run on what was recorded. */
  candidate: TriedConfiguration;
  control: TriedConfiguration;
  /** Compares the outputs of cases that are different. Absent: such cases stay different, unless a person judges them. */
  judge?: TrialJudge;
  settings: TrialSettings;
  estimate: TrialEstimate;
  /** Number of cases, those that cannot be tried included. */
  cases: number;
}

/** What an arm of a trial runs on, as it was in the organization when the trial was created. */
export interface TriedConfiguration extends Omit<ConfiguredAgent, "agent"> {
  definition: AgentDefinition;
  /** SHA-256 (hex) of the definition, see `definitionHash`. */
  hash: string;
  /** The version of the agent that has this definition. Absent: a draft. */
  version?: number;
  /** Tools of the MCP servers that a recorded turn did not have. They are listed once, by the first case. Absent: none was. */
  listed?: OfferedTool[];
}

/** What a judge runs on. `definition`: it has no tools, and the schema of votes (`judge/judge-definition.ts`). */
export interface TrialJudge extends TriedConfiguration {
  /** The agent whose configuration it is. Absent: the trial was created with a definition. */
  agentId?: string;
}

export interface TrialSettings {
  outside: OutsideRules;
  /** Of the first cases, how many are tried with the agent's current configuration, too. */
  control: number;
  /** Cases in progress at the same time. */
  concurrency: number;
  assertions: Assertion[];
  budget: TrialBudget;
  /** Service tier with which models are asked in place of that of their definitions. Absent: theirs. */
  tier?: TrialTier;
}

/** No case starts beyond it, and one in progress has what is left as a limit of its turn. */
export interface TrialBudget {
  /** US dollars. Requires prices. */
  dollars?: number;
  /** Input and output tokens together. */
  tokens?: number;
}

/** What happens to a call that leaves the service and is not in the record. */
export interface OutsideRules {
  default: "stop" | "error";
  /** By name of the tool. `live`: only `web_fetch` and tools of MCP servers that only read. */
  tools?: Record<string, MissRule>;
}

/** A check of what a tried turn did. It costs nothing. */
export type Assertion =
  | { kind: "output_matches"; pattern: string }
  | { kind: "output_fits"; schema: Record<string, unknown> }
  | { kind: "file_exists"; name: string }
  | { kind: "file_equals"; name: string; sha256: string }
  | { kind: "file_matches"; name: string; pattern: string }
  | { kind: "tool_called" | "tool_not_called"; name: string }
  | { kind: "at_most"; steps?: number; dollars?: number; seconds?: number };

/** What a trial is expected to cost and to send. */
export interface TrialEstimate {
  /** Cases that can be tried. */
  cases: number;
  /** Absent: the usage of no recorded turn is known. */
  tokens?: Range;
  /** US dollars. Absent: a configuration has no prices, or `tokens` is absent. */
  dollars?: Range;
  sends: Destination[];
  /** Cases whose recorded usage is estimated in part: their provider reported none. Absent: 0. */
  estimatedCases?: number;
  /** Cases whose recorded usage is unknown. They are not in `tokens` and `dollars`. Absent: 0. */
  unknownCases?: number;
  /** Cases that the judge may be asked about. Absent: the trial has no judge. */
  judgedCases?: number;
}

/** Where a trial sends inputs and files of recorded runs, or connects to. */
export interface Destination {
  host: string;
  for: (typeof destinationKinds)[number];
  inputs: number;
  files: number;
  /** Not all recorded turns have used it. */
  new: boolean;
}

export interface Range {
  low: number;
  high: number;
}

/** A recorded turn that a trial tries. */
export interface TrialCase {
  trialId: string;
  /** Counts from 1. */
  number: number;
  revision: number;
  /** `input`: the beginning of its first line. */
  source: {
    runId: string;
    turn: number;
    used: Usage;
    input?: string;
    /** Characters of the whole input and of the recorded output. Absent: the trial has no judge. */
    characters?: { input: number; output: number };
  };
  /** Why the turn cannot be tried, as a sentence. */
  cannotBeTried?: string;
  candidate?: Arm;
  control?: Arm;
  /** The judge's votes: with the recorded output as A, and with the candidate's as A. Absent: it was not asked. */
  recordedFirst?: Vote;
  candidateFirst?: Vote;
  /** A person's. It replaces the computed one. */
  verdict?: { given: Verdict; by?: string; at: number };
}

/** The attempts at a case: with the candidate, and with the agent's current configuration. */
export const armNames = ["candidate", "control"] as const;
export type ArmName = (typeof armNames)[number];

/** The two votes of a judge on a case. Each is a run of the trial. */
export const voteNames = ["recordedFirst", "candidateFirst"] as const;
export type VoteName = (typeof voteNames)[number];

/** All that a case has runs for. */
export const attemptNames = [...armNames, ...voteNames] as const;
export type AttemptName = (typeof attemptNames)[number];

/** A vote of the judge: a run that belongs to the trial. `budget`: limits of its turn. Absent `outcome`: it is in progress. */
export interface Vote {
  runId: string;
  budget: TrialBudget;
  outcome?: VoteOutcome;
}

export interface VoteOutcome {
  ending:
    /** `reason`: in the words of the judge. */
    | { kind: "voted"; better: "recorded" | "candidate" | "equal"; reason: string }
    /** `reason`: why there is no vote, as a sentence. */
    | { kind: "no_vote"; reason: string }
    | { kind: "stopped" };
  used: Usage;
}

/** One attempt at a case: a run that belongs to the trial. `budget`: limits of its turn. Absent `outcome`: it is in progress. */
export interface Arm {
  runId: string;
  budget: TrialBudget;
  outcome?: ArmOutcome;
}

export interface ArmOutcome {
  ending:
    | { kind: "finished" }
    | { kind: "failed"; failure: Pick<Failure, "category" | "title"> }
    /** `tool`: that of the first call that the record does not answer. Empty: a model call of a replay. */
    | { kind: "left_record"; step: number; tool: string }
    | { kind: "stopped" };
  /** Absent unless the turn finished, and of `next_step`, which has no end to compare. */
  comparison?: Comparison;
  /** Absent: `rerun`, or no step was compared. */
  steps?: StepsOutcome;
  assertions: AssertionOutcome[];
  used: Usage;
  /** Calls that the record did not have and that did not end the case, by the rule that answered them. */
  misses?: { tool: string; rule: "error" | "live" | "fixed" }[];
}

/** How the answers to the steps of `next_step`, or the requests of a `replay`, differ from the recorded ones. */
export interface StepsOutcome {
  compared: number;
  changed: number;
  /** Absent: none changed. */
  first?: StepDifference;
}

/** `path`: of the first difference in a request, such as `messages.2.content`. `reason`: what differs, as a sentence. */
export interface StepDifference {
  step: number;
  path?: string;
  reason: string;
}

/** How a tried turn differs from the recorded one. */
export interface Comparison {
  /** Equal but for white space. */
  sameOutput: boolean;
  files: FileDifference[];
}

export interface FileDifference {
  name: string;
  change: "added" | "removed" | "changed";
}

export interface AssertionOutcome {
  /** Index in the settings. */
  assertion: number;
  holds: boolean;
  /** Why it does not hold: what was expected and received. */
  reason?: string;
}
