import type { Accounts } from "../accounts/types.ts";
import type { Failure } from "../agent/model.ts";
import type { JournalEntry } from "../agent/turn/journal.ts";
import type { Usage } from "../agent/turn/limits.ts";
import type { RunStatus } from "./status.ts";

/** One run of an agent (`agent_id` on the wire). Times are milliseconds since 1970. */
export interface Run {
  id: string;
  agentId: string;
  organizationId: string;
  name: string;
  status: RunStatus;
  /** Turns started so far; 0 for a run created without input. */
  turn: number;
  createdAt: number;
  /** When status or turn was last set. */
  updatedAt: number;
  /** Set with `technical_error`. */
  failure?: Failure;
  /** Inputs that wait for the current turn to end. Absent: none. */
  queued?: number;
  /** By all turns so far. Absent: nothing. `milliseconds`: of turns that have ended. */
  used?: Usage;
}

/** An accepted input or a turn's final output. Turn n holds input and output n, oldest first. */
export interface TranscriptMessage {
  role: "input_to_agent" | "output_from_agent";
  text: string;
}

/** What a step leaves behind, recorded before the next thing happens. Keyed by (run, turn, step, part, call). */
export type RunJournalEntry = { turn: number } & JournalEntry;

/** An input that waits; `turn` is the one it will begin. */
export interface QueuedInput {
  turn: number;
  text: string;
}

/** What stands for a run's first turns in the conversations of later ones. */
export interface Summary {
  throughTurn: number;
  text: string;
}

/** A transcript message with its place: (turn, role) is its key. */
export type TurnMessage = TranscriptMessage & { turn: number };

/**
 * One conditional, atomic write to a run. It is applied whole, or not at all when the run is missing, is not in
 * `expect`, already has one of `steps`, `messages` or the added input, or `token` is not the current one.
 * A change that sets the status ends the lease.
 */
export interface RunChange {
  runId: string;
  /** `queued`: how many inputs wait; absent: any number. */
  expect: { status: RunStatus; turn: number; queued?: number };
  /** The writer's right to write, from `claim`. Absent: the writer is no worker. */
  fencingToken?: number;
  set?: { status: RunStatus; turn: number; updatedAt: number; failure?: Failure };
  messages?: TurnMessage[];
  steps?: RunJournalEntry[];
  /** Added to the run's. */
  used?: Usage;
  /** Replaces the run's. */
  summary?: Summary;
  /** `add` appends an input, `take` removes the one of that turn, `drop` removes all. */
  queue?: { add: QueuedInput } | { take: number } | "drop";
}

/** Everything the next step of a run needs, from one consistent read. `steps`: of the current turn, in order. */
export interface RunState {
  run: Run;
  transcript: TranscriptMessage[];
  steps: RunJournalEntry[];
  /** In the order they came. */
  queue: QueuedInput[];
  summary?: Summary;
}

/** A run and what its readers see of it. */
export type RunView = Pick<RunState, "run" | "transcript">;

/** A worker asks to be the only one that writes to a run until `until`. Times are milliseconds since 1970. */
export interface LeaseRequest {
  runId: string;
  owner: string;
  now: number;
  until: number;
}

/**
 * `token`: carried by each of this worker's writes; grows with every claim. `unreleased`: an earlier worker's lease had
 * expired, so that its last writes may be younger than a read that went out with the claim.
 */
export interface Claim {
  fencingToken: number;
  /** The run's, at that moment. */
  turn: number;
  takenOver: boolean;
}

/** A worker's lease on a run. */
export interface Lease {
  runId: string;
  fencingToken: number;
}

/**
 * Runs with their transcripts and steps. Every method rejects with `StoreUnavailable` for throttling, time-outs and
 * outages, and with any other error for what waiting does not fix.
 */
export interface Runs {
  /**
   * Stores a new run and its first messages in one write, once `admitted` has resolved. Rejects as `admitted` does, and
   * then stores nothing; what it stored ahead of the write, to save time, is gone.
   */
  create(run: Run, messages: TurnMessage[], admitted?: Promise<unknown>): Promise<void>;
  /** Run and transcript in one round trip, without the steps. */
  read(id: string): Promise<RunView | undefined>;
  load(id: string): Promise<RunState | undefined>;
  /** The steps of all turns, in order. A run that does not exist has none. */
  listSteps(id: string): Promise<RunJournalEntry[]>;
  /** True when the change was applied, false when it lost. */
  change(change: RunChange): Promise<boolean>;
  /**
   * Takes the lease on a run that is `running`, unless another owner holds it: then, as for any other run, undefined.
   * A lease that ends further ahead than twice the requested duration is ignored: some clock jumped.
   */
  claim(request: LeaseRequest): Promise<Claim | undefined>;
  /** Moves the lease's end. False: it is not the current one any more, or the run is not `running`. */
  renew(lease: Lease, until: number): Promise<boolean>;
  /** From a cheap read; undefined for a run that does not exist. */
  status(id: string): Promise<RunStatus | undefined>;
  /** Whether the lease is the current one and the run `running`, from a cheap read. */
  holds(lease: Lease): Promise<boolean>;
  /** Ends the lease; one that is not the current one any more: no-op. */
  release(lease: Lease): Promise<void>;
  /**
   * Removes messages, steps, waiting inputs, the summary, the name and the failure of a run that is `terminated`; the
   * rest of the run stays. False when there is no such run. Repeated, it goes on where it was cut off.
   */
  erase(id: string): Promise<boolean>;
  /** Newest first, at most `limit`. */
  listByAgent(agentId: string, limit: number): Promise<Run[]>;
  /** Every run whose status is `running`. */
  listRunning(): Promise<Pick<Run, "id" | "turn" | "updatedAt">[]>;
}

export interface WorkspaceFile {
  name: string;
  /** Bytes. */
  size: number;
}

/** A run's files. Names are flat and have been through `safeFilenames`; any other is refused with an Error. */
export interface Workspace {
  /** Resolves when all files are durable, rejects when no more of them will be. Replaces files of the same name. */
  write(runId: string, files: { name: string; content: Uint8Array }[]): Promise<void>;
  /** Sorted by name. */
  list(runId: string): Promise<WorkspaceFile[]>;
  read(runId: string, name: string): Promise<Uint8Array | undefined>;
  /** Those that are not there: no-op. Asks for no right to list. */
  remove(runId: string, names: string[]): Promise<void>;
  removeAll(runId: string): Promise<void>;
}

/** Drives a run's turn to its end, whatever happens to the caller. */
export interface Workflow {
  /** Resolves when the start is durable. Starting the same turn twice starts it once. */
  start(runId: string, turn: number): Promise<void>;
  /**
   * Stops the work that brings the run to this turn and through it; the status is the caller's to write first. A run
   * that is not worked on: no-op.
   */
  stop(runId: string, turn: number): Promise<void>;
}

/** What drove, or drives, a run's turn where that is a service of its own. */
export interface Execution {
  /** The turn it was started for; it may have come to a later one. */
  turn: number;
  /** How it ended; undefined while it goes on. */
  ended: "succeeded" | "failed" | "timed_out" | "aborted" | undefined;
  /** Of one that failed, in the service's words. */
  error?: string;
  cause?: string;
}

/** Looks at executions, for the repair of runs whose own is lost. Rejects as `Runs` does. */
export interface Executions {
  /** Ids of the runs that have an execution that goes on. */
  runningRuns(): Promise<Set<string>>;
  /** The one that a turn belongs to, or belonged to; undefined when it was never started. */
  find(runId: string, turn: number): Promise<Execution | undefined>;
}

/** All ports of one home: what the use cases are built on. */
export interface Stores {
  accounts: Accounts;
  runs: Runs;
  workspace: Workspace;
}
