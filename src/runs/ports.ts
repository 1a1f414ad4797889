import type { Actor } from "../accounts/audit.ts";
import type { Starter } from "../accounts/starter.ts";
import type { Accounts, Along } from "../accounts/account-types.ts";
import type { Secrets } from "../agent/secret.ts";
import type { FileVersion } from "../agent/turn/files/manifest.ts";
import type { Delivery, DeliveryPage, DeliveryQuery } from "./deliveries.ts";
import type { RunStatus } from "./status.ts";
import type { EncodedConfiguration } from "./turn-configuration.ts";
import type {
  AskingRun,
  Claim,
  Idempotency,
  KeptCreate,
  Lease,
  LeaseRequest,
  QuotaScope,
  QuotaUse,
  Run,
  RunChange,
  RunEvent,
  RunJournalEntry,
  RunningRun,
  PiecewiseRun,
  RunOwner,
  RunPage,
  RunQuery,
  RunReader,
  RunState,
  RunView,
  Slot,
  Stamped,
  Summary,
  TurnMessage,
  ShortTurn,
  TurnState,
  WaitingRun,
  WholeRun,
} from "./run-types.ts";

/**
 * What is stored with a new run. `uploads`: the manifest of its files. `idempotency` is kept as long as the run.
 * `entries`: the journal of a run that begins with a record. Each turn but the last one needs an entry.
 */
export interface CreateExtras extends Along {
  entries?: Stamped<RunJournalEntry>[];
  summary?: Summary;
  slot?: Slot;
  uploads?: FileVersion[];
  idempotency?: Idempotency;
}

/**
 * `no_slot`: `slot` does not admit the run. `replayed`: the agent's idempotency key belongs to an earlier create. In both
 * cases, nothing was stored.
 */
export type CreateOutcome = "created" | "no_slot" | { replayed: KeptCreate };

/**
 * Store of runs with their transcripts and journals. Every method rejects with
 * - `StoreUnavailable` after throttling, a time-out or an outage: a later call may succeed,
 * - another error when a retry does not help.
 */
export interface Runs {
  /**
   * Stores a new run with its first messages and `more` in one write. `run.sequence`: the number of messages and entries,
   * which have the numbers from 1 to it, each once. Rejects without a write for others, and on AWS for a run of more than 100
   * items with what else is written: a ServiceError.
   */
  create(run: Run, messages: Stamped<TurnMessage>[], more?: CreateExtras): Promise<CreateOutcome>;
  /** The create or input that the agent's idempotency key was first used for. `key`: its SHA-256 (hex). A cheap read. */
  findCreated(agentId: string, key: string): Promise<KeptCreate | undefined>;
  /** Run and transcript. */
  read(id: string): Promise<RunView | undefined>;
  /**
   * As `read`, for a client. Undefined: the run does not exist, or is not one of the reader. Nothing but the run's head is
   * read before the reader is known and compared, so others see no difference and cost nothing. Rejects as `reader` does.
   * A store whose host streams responses opens a large transcript in pieces.
   */
  open(id: string, reader: Promise<RunReader>): Promise<WholeRun | PiecewiseRun | undefined>;
  /** UTF-8 bytes of the transcript and the queued inputs. On AWS, without those that an earlier release stored. A cheap read. */
  transcriptBytes(id: string): Promise<number>;
  /** The output of a turn of the run. Undefined: the turn has none. */
  output(run: Run, turn: number): Promise<string | undefined>;
  load(id: string): Promise<RunState | undefined>;
  /** As `load`, without the texts of other turns. */
  loadTurn(id: string): Promise<TurnState | undefined>;
  /** The run and the journal of its turn. On AWS, entries of 64 KiB and more are undefined: they are in the bucket. */
  loadShortTurn(id: string): Promise<ShortTurn | undefined>;
  /** The run without its transcript. A cheap read. */
  head(id: string): Promise<Run | undefined>;
  /** The first `length` characters of the run's first input. Undefined: it has none. A cheap read, unless the input is large. */
  firstInput(id: string, length: number): Promise<string | undefined>;
  /**
   * The events after number `after`, in order: at most `limit`, and fewer when they are large. Empty: there are none yet.
   * The cost depends on the page, not on the length of the run.
   */
  listEvents(id: string, after: number, limit: number): Promise<Stamped<RunEvent>[]>;
  /** True: applied. False: rejected, see `RunChange`. */
  change(change: RunChange): Promise<boolean>;
  /**
   * Takes the lease on a run with the status `running`.
   * - Undefined: the run has another status or waits for a slot or for answers, or another owner holds the lease.
   * - A lease that ends later than twice the requested duration is ignored: a clock was wrong.
   */
  claim(request: LeaseRequest): Promise<Claim | undefined>;
  /** Extends the lease. False: the lease is not current, or the run is not `running`. */
  renew(lease: Lease, until: number): Promise<boolean>;
  /** Whether the lease is current and the run `running`. A cheap read. */
  holds(lease: Lease): Promise<boolean>;
  /** Ends the lease. No-op for a lease that is not current. */
  release(lease: Lease): Promise<void>;
  /** A cheap read. */
  status(id: string): Promise<RunStatus | undefined>;
  /** Runs whose deletion has begun (`RunChange.erase`) and not ended. Always empty on AWS. */
  listErasures(): Promise<string[]>;
  /**
   * Deletes messages, journal, queued inputs, summary, manifests, name and failure of a `terminated` run; keeps the rest.
   * The run then counts no events.
   * - Resolves when none of their bytes is left in the store.
   * - False: there is no `terminated` run with this id.
   * - Idempotent: a repeated call continues an interrupted one.
   */
  erase(id: string): Promise<boolean>;
  /**
   * A page of runs, newest first. It is full unless the list ends, or few runs have the wanted status. The cost depends on
   * the numbers of agents and of runs in the page, not on the number of their runs.
   */
  list(query: RunQuery): Promise<RunPage>;
  /** Every run with the status `running` that waits neither for a slot nor for answers. */
  listRunning(): Promise<RunningRun[]>;
  /** Runs that wait for a slot, oldest first: of all organizations, or of one. */
  listWaiting(organizationId?: string): Promise<WaitingRun[]>;
  /**
   * Runs that wait for answers, those whose time ends first at the beginning: of all organizations, or of one. `until`: only
   * those whose time has ended by then, in milliseconds since 1970.
   */
  listAsking(of?: { organizationId?: string; until?: number }): Promise<AskingRun[]>;
  /** What counts towards the quotas of an agent and its organization. */
  quotaUse(owner: Pick<Run, "agentId" | "organizationId">): Promise<Record<QuotaScope, QuotaUse>>;
  /** Bytes of the files of all runs of an agent and of its organization. Old contents do not count. */
  storedBytes(owner: RunOwner): Promise<Record<QuotaScope, number>>;
  /** Corrects counts that differ from the runs. Resolves with their number. No-op for a store that derives them. */
  recount(): Promise<number>;
}

/** The runs whose records a `TextIndex` searches: those that were created since then. */
export type TextScope = { since: number } & ({ agentIds: string[] } | { organizationIds: string[] });

/** `phrases`: words that a record must have. The last one of each can be the beginning of a word. */
export type TextQuery = TextScope & { phrases: string[][] };

/** Records that can match, those of the newest run first, and of how many runs all are in the index. */
export interface TextCandidates {
  runs: { id: string; sequences: number[] }[];
  indexed: number;
  /** False: there are more runs, or more records that can match. */
  complete: boolean;
}

/** An index of the words of records. It is brought up to date when it is searched. */
export interface TextIndex {
  find(query: TextQuery): Promise<TextCandidates>;
  /** Resolves when nothing of a run's texts is left in the index. */
  forget(runId: string): Promise<void>;
}

/** A content of a file, with its SHA-256 as 64 lower-case hex digits. */
export interface StoredContent {
  sha256: string;
  content: Uint8Array;
}

/**
 * Store of the contents of runs' files, by SHA-256. The same content is stored once per run. Names and changes of files
 * are recorded with the run.
 */
export interface Workspace {
  /**
   * Idempotent.
   * - Resolves when all contents are durable.
   * - Rejects when none of them will still be written.
   */
  write(runId: string, contents: StoredContent[]): Promise<void>;
  read(runId: string, sha256: string): Promise<Uint8Array | undefined>;
  /** Ignores contents that do not exist. Needs no permission to list. */
  remove(runId: string, sha256s: string[]): Promise<void>;
  /**
   * Stores contents of the run `from` for the run `to`, without reading them. Idempotent. Resolves with those that `from` no
   * longer has, each once; the others are then durable.
   */
  link(from: string, to: string, sha256s: string[]): Promise<string[]>;
  removeAll(runId: string): Promise<void>;
}

/** A file that a client sends before the create that names it. Times are milliseconds since 1970. */
export interface PendingUpload {
  /** A UUID. */
  id: string;
  agentId: string;
  /** As the client names it. */
  name: string;
  /** Bytes of the content. */
  size: number;
  /** Of the content: 64 lower-case hex digits. */
  sha256: string;
  createdAt: number;
  expiresAt: number;
}

/**
 * Store of pending uploads. It removes them some time after they expire.
 * Rejects with `StoreUnavailable` when a retry can help.
 */
export interface PendingUploads {
  /**
   * Stores an upload, in place of one with the same id, unless a limit has no room for a further one: then it resolves with
   * that limit. On AWS, calls at the same time do not see each other's uploads.
   */
  add(
    upload: PendingUpload,
    options: { organizationId: string; limits?: PendingLimits },
  ): Promise<PendingRefusal | undefined>;
  /** What the agent, and all agents of its organization, have pending. On AWS, an upload counts up to an hour longer. */
  pendingUse(owner: RunOwner): Promise<Record<QuotaScope, PendingUse>>;
  /** Undefined: unknown or removed. It may have expired. */
  find(id: string): Promise<PendingUpload | undefined>;
  /**
   * Stores the content for a run, as `Workspace.write` does, without reading it. False: the content has not arrived.
   * Idempotent.
   */
  copyTo(runId: string, upload: PendingUpload): Promise<boolean>;
  /** Removes the uploads that were copied to this run and to no other. Idempotent. */
  release(run: Pick<Run, "id" | "agentId">): Promise<void>;
}

/** Pending uploads, whether their contents have arrived or not. `bytes`: of all together. */
export interface PendingUse {
  uploads: number;
  bytes: number;
}

/** What the pending uploads of an agent, and of an organization, can be together. Absent: no limit. */
export type PendingLimits = Partial<Record<QuotaScope, Partial<PendingUse>>>;

/** A limit that has no room for an upload. */
export interface PendingRefusal {
  scope: QuotaScope;
  use: PendingUse;
  limit: Partial<PendingUse>;
}

/** An HTTP request that a client sends to the store. */
export interface SignedRequest {
  url: string;
  /** Headers that the request must have. */
  headers: Record<string, string>;
}

/** Bytes of a content, from `start` to `end`, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Reads a content, or a part of it, as it is sent. */
export type ContentReader = (part?: ByteRange) => AsyncIterable<Uint8Array>;

/** Transfers of contents through this service (one machine). A content is never in memory as a whole. */
export interface ServedTransfers {
  /** Stores the content of an upload, whole or not at all. Idempotent. */
  receive(upload: PendingUpload, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** A reader of the content of a file of the run. Undefined: it is no longer kept. */
  send(runId: string, sha256: string): Promise<ContentReader | undefined>;
}

/** Signs requests that clients send to the store, past this service (AWS). Each is for one content, for a short time. */
export interface SignedTransfers {
  /** A PUT of the upload's content. The store accepts no other content. */
  put(upload: PendingUpload): Promise<SignedRequest>;
  /**
   * A GET of a file of the run. `disposition`: the header `content-disposition` of its response. Undefined: the content is
   * no longer kept.
   */
  get(runId: string, sha256: string, disposition: string): Promise<SignedRequest | undefined>;
}

/**
 * Store of what turns run on (`turn-configuration.ts`), by agent and hash.
 * Rejects with `StoreUnavailable` when a retry can help.
 */
export interface Configurations {
  /** Resolves when the text is durable. Idempotent. It is kept at least as long as a run that is created up to a day later. */
  put(agentId: string, configuration: EncodedConfiguration): Promise<void>;
  /** The text. Undefined: it was not stored, or has expired. */
  get(agentId: string, hash: string): Promise<string | undefined>;
}

/**
 * Store of the messages to webhooks. `Runs` stores each in the write that it reports.
 * Rejects with `StoreUnavailable` when a retry can help.
 */
export interface Deliveries {
  find(id: string): Promise<Delivery | undefined>;
  /** Stores one that is sent again. Its id is new. */
  add(delivery: Delivery, along?: Along): Promise<void>;
  /** Replaces a delivery that has one attempt fewer. False: another sender has recorded this attempt, or it expired. */
  recordAttempt(delivery: Delivery): Promise<boolean>;
  /** A page of the deliveries of an agent, newest first. */
  list(query: DeliveryQuery): Promise<DeliveryPage>;
}

/** Drives a turn to its end, even if the caller fails. */
export interface Workflow {
  /**
   * Resolves when the start is durable. Idempotent. `run`: on one machine, turns go round by organization and agent; absent:
   * they are looked up. `pauses`: that of the run.
   */
  start(runId: string, turn: number, run?: Partial<RunOwner> & Pick<Run, "pauses">): Promise<void>;
  /**
   * Stops the work on this turn. The caller sets the status of the run first.
   * No-op for a run without work in progress.
   */
  stop(runId: string, turn: number, pauses?: number): Promise<void>;
}

/** Deletes records for good. Every method is idempotent. Rejects with `StoreUnavailable` when a retry can help. */
export interface Removal {
  /** What `Runs.erase` keeps of runs. */
  removeRuns(ids: string[]): Promise<void>;
  /** An agent with its versions, keys, webhook, deliveries, configurations, usage and pending uploads. Its runs are removed before. */
  removeAgent(agentId: string): Promise<void>;
  /** The record of an organization without agents. Resolves when nothing of what was removed is left in the store. */
  removeOrganization(id: string, along?: Along): Promise<void>;
}

/** The stores of a platform. */
export interface Stores {
  removal: Removal;
  accounts: Accounts;
  runs: Runs;
  workspace: Workspace;
  pendingUploads: PendingUploads;
  configurations: Configurations;
  deliveries: Deliveries;
}

/** What the use cases of runs work with. */
export interface RunServices extends Stores, Pick<Secrets, "secretRefusal"> {
  workflow: Workflow;
  now: () => number;
  /** The operator, for the audit. Absent: a program with an API key. */
  actor?: Actor;
  /** The holder of the key that a request came with. Absent: it has none. */
  starter?: Starter;
}

/** The services that a use case takes. */
export type Uses<Name extends keyof RunServices> = Pick<RunServices, Name>;
