import type { AgentDefinition } from "../accounts/account-types.ts";
import type { Failure } from "../agent/model.ts";
import type { MissRule } from "../agent/tools/recorded.ts";
import type { OfferedTool } from "../agent/tools/tool.ts";
import type { Usage } from "../agent/turn/turn-limits.ts";
import type { ConfiguredAgent } from "../runs/turn-configuration.ts";
import type { destinationKinds, formerModes, TrialTier, TrialStatus, Verdict } from "./names.ts";

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
  /** Set if an earlier release created the trial. Such a trial neither starts nor continues. */
  mode?: (typeof formerModes)[number];
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
  candidate: TriedConfiguration;
  control: TriedConfiguration;
  /** Compares the outputs of cases that are different. Absent: such cases stay different, unless a person judges them. */
  judge?: TrialJudge;
  settings: TrialSettings;
  estimate: TrialEstimate;
  /** Number of cases, those that cannot be tried included. */
  cases: number;
}

/** What an attempt runs on, as it was in the organization when the trial was created. */
export interface TriedConfiguration extends Omit<ConfiguredAgent, "agent"> {
  definition: AgentDefinition;
  /** SHA-256 (hex) of the definition, see `definitionHash`. */
  hash: string;
  /** The version of the agent that has this definition. Absent: a draft. */
  version?: number;
  /** Tools of the MCP servers that a recorded turn did not have. They are listed once, by the first case. Absent: none was. */
  listed?: OfferedTool[];
}

/** What a judge runs on. `definition`: it has no tools, and the schema of votes (`judgeDefinition`). */
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
  candidate?: Attempt<TurnEnding>;
  control?: Attempt<TurnEnding>;
  /** The judge's votes: with the recorded output as A, and with the candidate's as A. Absent: it was not asked. */
  recordedFirst?: Attempt<VoteEnding>;
  candidateFirst?: Attempt<VoteEnding>;
  /** A person's. It replaces the computed one. */
  verdict?: { given: Verdict; by?: string; at: number };
}

/** The attempts that take the turn of a case: with the candidate, and with the agent's current configuration. */
export const triedNames = ["candidate", "control"] as const;
export type TriedName = (typeof triedNames)[number];

/** The attempts of the judge at a case: its votes. */
export const voteNames = ["recordedFirst", "candidateFirst"] as const;
export type VoteName = (typeof voteNames)[number];

export function isVote(name: AttemptName): name is VoteName {
  return name === "recordedFirst" || name === "candidateFirst";
}

export const attemptNames = [...triedNames, ...voteNames] as const;
export type AttemptName = (typeof attemptNames)[number];

/** The attempts that a case has, votes included. */
export function attemptsOf(one: TrialCase): Attempt[] {
  return attemptNames.flatMap((name) => one[name] ?? []);
}

/** An attempt at a case: a run that belongs to the trial. `budget`: limits of its turn. Absent `outcome`: it is in progress. */
export interface Attempt<Ending = TurnEnding | VoteEnding> {
  runId: string;
  budget: TrialBudget;
  outcome?: AttemptOutcome<Ending>;
}

export type TurnEnding =
  | { kind: "finished" }
  | { kind: "failed"; failure: Pick<Failure, "category" | "title"> }
  /** `tool`: that of the first call that the record does not answer. */
  | { kind: "left_record"; step: number; tool: string }
  | { kind: "stopped" };

export type VoteEnding =
  /** `reason`: in the words of the judge. */
  | { kind: "voted"; better: "recorded" | "candidate" | "equal"; reason: string }
  /** `reason`: why there is no vote, as a sentence. */
  | { kind: "no_vote"; reason: string }
  | { kind: "stopped" };

/** What an attempt came to, and what is known of it for the scorers (`verdict.ts`). */
export interface AttemptOutcome<Ending = TurnEnding | VoteEnding> {
  ending: Ending;
  used: Usage;
  /** Absent: of a vote. */
  assertions?: AssertionOutcome[];
  /** Absent unless a turn finished. */
  comparison?: Comparison;
  /** Of a trial with a `mode`: how many steps differ from the recorded ones, and why the first one does. */
  steps?: { changed: number; first?: { reason: string } };
  /** Calls that the record did not have and that did not end the case, by the rule that answered them. */
  misses?: { tool: string; rule: "error" | "live" | "fixed" }[];
}

/** How a tried turn differs from the recorded one. */
export interface Comparison {
  /** Equal but for white space. */
  sameOutput: boolean;
  files: FileDifference[];
  /** Absent: the tried turn made all calls with effects that the recorded one made. */
  missing?: MissingCalls[];
}

/** Calls of a tool, with effects outside of the service, of which a tried turn made fewer than the recorded one. */
export interface MissingCalls {
  tool: string;
  /** How many the recorded turn made, of those that are missing in part. */
  recorded: number;
  /** How many of these the tried turn made. */
  tried: number;
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
