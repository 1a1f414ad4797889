import type { Starter } from "../accounts/starter.ts";
import type { KeyAgents } from "../accounts/key-agents.ts";
import type { AuditEntry, Quota } from "../accounts/account-types.ts";
import type { Usage } from "../agent/turn/turn-limits.ts";
import type { Failure } from "../agent/model.ts";
import type { JournalEntry } from "../agent/turn/journal.ts";
import type { FileVersion, ManifestFile } from "../agent/turn/files/manifest.ts";
import type { QuotaScope, Run, RunToken } from "./fields.ts";
import type { Labels } from "./labels.ts";
import type { RunStatus } from "./status.ts";

export type { BundledRun, ImportOrigin, QuotaScope, Run, RunToken, WebhookTarget } from "./fields.ts";
export { quotaScopes } from "./fields.ts";

/** What a run counts towards. */
export type QuotaPlace = Pick<Run, "agentId" | "organizationId" | "quotaOf" | "waiting" | "pauses">;

/**
 * What the writes of a change depend on: the counts to change, and whether there is a delivery to store. Without `createdAt`,
 * a store that counts bytes of files by day looks it up.
 */
export type RunFacts = QuotaPlace & Pick<Run, "webhook"> & Partial<Pick<Run, "createdAt">>;

/** The quotas that a turn is accepted under. */
export interface Quotas {
  scope: QuotaScope;
  agent: Quota;
  organization: Quota;
  /** What one model call of the agent can cost. Absent: it has no prices. */
  stepDollars?: number;
}

/** What counts towards a quota now. `dollars`: spent today (UTC). */
export interface QuotaUse {
  running: number;
  /** Waiting runs. Always 0 for an organization: they are counted by agent. */
  waiting: number;
  dollars: number;
  /** What a turn that ended today or yesterday has cost on average. Absent: none has. */
  turnDollars?: number;
}

/**
 * Counts a turn that becomes `running`. The write is rejected
 * - if the turn is to start, and a quota is used up or older runs of the agent wait;
 * - if it is to wait, and nothing blocks it any more (`blockedBy`) or `maxWaiting` runs wait.
 */
export interface Slot {
  agentId: string;
  organizationId: string;
  /** Absent for a waiting run whose quotas were removed. */
  quotas?: Quotas;
  /** Set: the turn waits for a slot of this quota. Absent: it starts. */
  blockedBy?: QuotaScope;
}

/** An idempotency key and the body of the create or input that it came with, as SHA-256 hashes (hex). */
export interface Idempotency {
  key: string;
  request: string;
}

/** The run of the first create or input with an idempotency key. `request`: hash of its body. */
export interface KeptCreate {
  runId: string;
  request: string;
}

/** Number and time of an event: a transcript message or a journal entry. */
export interface EventStamp {
  /** Counts the events of a run from 1, without gaps. */
  sequence: number;
  /** When the event was recorded, in milliseconds since 1970: the end of a call that took `milliseconds`. */
  at: number;
}

/** A place in a list of runs: behind the run with this time of creation and id. */
export type RunPlace = Pick<Run, "createdAt" | "id">;

/** Which runs to list: those of some agents, or of some organizations, merged into one list. */
export type RunQuery = RunRange & ({ agentIds: string[] } | { organizationIds: string[] });

export interface RunRange {
  /** Only runs with one of these. */
  statuses?: readonly RunStatus[];
  /** Only runs that the service recorded. Absent: imported ones, too. */
  imported?: false;
  /** The earliest time of creation. */
  since?: number;
  /** Only runs that are older than this place. */
  after?: RunPlace;
  limit: number;
  /** Called with the number of runs of each read. */
  onRead?: (runs: number) => void;
}

/** A page of a list of runs. `next`: the place up to which it was read. Absent: there are no older runs. */
export interface RunPage {
  runs: Run[];
  next?: RunPlace;
}

/** An accepted input or the output of a turn. */
export interface TranscriptMessage {
  role: "input_to_agent" | "output_from_agent";
  text: string;
}

/**
 * A transcript message with its turn. It has no number and no time before it is recorded. `agentVersion`: of an input,
 * the version of the agent that its turn begins with. Absent: the agent had none, or the input was queued: its turn begins
 * with the version that is current when it starts. `startedBy`: who sent an input. Absent: it came with the create, or an earlier
 * release recorded it.
 */
export type TurnMessage = TranscriptMessage & {
  turn: number;
  agentVersion?: number;
  startedBy?: Starter;
} & Partial<EventStamp>;

/** A journal entry with its turn. It has no number and no time before it is recorded. */
export type RunJournalEntry = { turn: number } & JournalEntry & Partial<EventStamp>;

/** An event of a run. */
export type RunEvent = TurnMessage | RunJournalEntry;

/** A recorded event. */
export type Stamped<Event extends RunEvent> = Event & EventStamp;

/** An input that was accepted while a turn was in progress. `turn`: the turn that it will start. `startedBy`: see `TurnMessage`. */
export interface QueuedInput {
  turn: number;
  text: string;
  startedBy?: Starter;
}

/** Replaces the first turns of a run in the conversations of later turns. */
export interface Summary {
  throughTurn: number;
  text: string;
}

/**
 * One conditional, atomic write to a run. It is applied whole, or rejected when
 * - the run does not exist or differs from `expect`,
 * - the number of its last event is not the one before the first of `entries` and `messages`,
 * - the added input already exists,
 * - `fencingToken` is not the current one,
 * - `slot` does not admit it.
 *
 * A change that sets the status ends the lease. A change from `running` to another status, or to wait for answers, frees the
 * run's slot; `used` is added to the dollars of the run's quotas. A change that ends a turn of a run with a webhook, or lets
 * it wait for answers, stores a delivery (`deliveryOf`).
 */
export interface RunChange {
  runId: string;
  /**
   * `queued`: number of queued inputs. `waiting`: the turn waits for a slot. `asks`: whether it waits for answers. `pauses`: how
   * often it has; required to start a turn of a run that has. Absent: any.
   */
  expect: { status: RunStatus; turn: number; queued?: number; waiting?: true; asks?: boolean; pauses?: number };
  /** From `claim`. Absent for writers without a lease (API, CLI, sweep). */
  fencingToken?: number;
  /** `pauses`: with `asks` and with a retry, which both need another execution to continue. */
  set?: { status: RunStatus; turn: number; updatedAt: number; failure?: Failure; asks?: Pause; pauses?: number };
  /** For a change to `running` from another status or from waiting, for a slot or for answers. Absent: no quota applies. */
  slot?: Slot;
  /** If the caller knows them. The store looks them up otherwise, and when they have changed. */
  facts?: RunFacts;
  /** Numbered before `messages`. */
  entries?: Stamped<RunJournalEntry>[];
  messages?: Stamped<TurnMessage>[];
  /** Added to the usage of the run. */
  used?: Usage;
  /** Model of the last of the recorded answers. Absent: the run keeps its model. */
  model?: string;
  /** Names of tools that the recorded answers call. Added to those of the run. */
  tools?: string[];
  /** Replaces the summary of the run. */
  summary?: Summary;
  /** The files of the run after the turn. Written with its output if they changed. */
  files?: ManifestFile[];
  /** `add` appends an input, `take` removes the input of that turn, `drop` removes all. */
  queue?: { add: QueuedInput } | { take: number } | "drop";
  /** Replaces the labels of the run. Rejected for a run that was erased. */
  labels?: Labels;
  /** Replaces the tokens of the run. Rejected if they are not `before`, and for a run that was erased. */
  tokens?: { before: RunToken[]; after: RunToken[] };
  /** The run is being deleted: `listErasures` has it until `erase` has ended. Ignored on AWS, where callers repeat a deletion. */
  erase?: true;
  /** The operator's action that makes this change. */
  audit?: AuditEntry;
  /** Kept with the change, as long as the run. The change is rejected if the agent's key belongs to an earlier request. */
  idempotency?: Idempotency & Pick<Run, "agentId">;
}

/** What the head of a run has while it waits for answers. */
export type Pause = Required<Pick<Run, "askedUntil" | "pauses" | "worked">>;

/** Everything that the next step needs, from one consistent read. Lists are in order. */
export interface RunState {
  run: Run;
  transcript: TranscriptMessage[];
  /** Of the current turn's input. */
  agentVersion?: number;
  /** Of the current turn, in the order of recording. */
  journal: RunJournalEntry[];
  queue: QueuedInput[];
  summary?: Summary;
  /** Files of the create. Absent: none. */
  uploads?: FileVersion[];
  /** Files after the last turn that changed some. Absent: there is none. */
  files?: ManifestFile[];
}

/** What is recorded of the current turn, and the files. */
export type TurnState = Omit<RunState, "transcript" | "queue" | "summary">;

/** Whose run it is. */
export type RunOwner = Pick<Run, "agentId" | "organizationId">;

/** Who may read runs: the owner, or the holder of a key of several agents. */
export type RunReader = KeyAgents & Pick<RunOwner, "organizationId">;

/** A part of a message's text, in order. `index`: that of the message in the transcript. Each message has at least one. */
export interface TranscriptPiece extends TranscriptMessage {
  index: number;
}

/** A run as clients of v1 see it, with its owner. */
export type PublicRun = RunOwner & Pick<Run, "id" | "status">;

/** A run with its whole transcript. */
export interface WholeRun {
  run: PublicRun;
  transcript: TranscriptMessage[];
}

/** A run with a transcript that is read while it is sent. */
export interface PiecewiseRun {
  run: PublicRun;
  pieces: AsyncIterable<TranscriptPiece>;
}

/** A run with a turn in progress, in lists. */
export type RunningRun = Pick<Run, "id" | "turn" | "updatedAt" | "waiting" | "pauses">;

/** A run that waits for a slot, in lists. */
export type WaitingRun = Pick<Run, "id" | "turn" | "updatedAt" | "agentId" | "organizationId" | "pauses">;

/** A run that waits for answers, in lists. */
export type AskingRun = Required<Pick<Run, "id" | "turn" | "askedUntil" | "pauses" | keyof RunOwner>>;

/** A run and its turn without long texts, for readers that may not read them: entries that contain one are undefined. */
export interface ShortTurn {
  run: Run;
  journal: (RunJournalEntry | undefined)[];
}

/** The part of a run that API clients see. */
export type RunView = Pick<RunState, "run" | "transcript">;

/** A worker's request for the lease on a run until `until`. Times are milliseconds since 1970. */
export interface LeaseRequest {
  runId: string;
  owner: string;
  now: number;
  until: number;
}

/** A worker's lease on a run. Each of its writes carries `fencingToken`, which grows with every claim. */
export interface Lease {
  runId: string;
  fencingToken: number;
}

/** A granted lease request. */
export interface Claim {
  fencingToken: number;
  /** The run's turn at that time. */
  turn: number;
  /** The lease of another owner expired unreleased, so a read issued with the claim may be stale. */
  takenOver: boolean;
}
