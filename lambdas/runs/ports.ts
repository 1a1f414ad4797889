import type { Failure, Limits, ModelConfiguration } from "../agent/model.ts";
import type { StepPart } from "../agent/steps.ts";
import type { RunStatus } from "./lifecycle.ts";

/** Owner of agents; holds the model configuration that its agents run on. */
export interface Organization {
  id: string;
  name: string;
  /** Absent: the organization has no usable inference model. */
  model?: ModelConfiguration;
}

/** A pre-configured agent (`template_id` on the wire). A deleted one stays readable for its runs in flight. */
export interface Agent {
  id: string;
  organizationId: string;
  name: string;
  instructions: string;
  /** Another model of the organization's provider than its default. */
  model?: string;
  /** Names out of the tool table in `agent/tools/index.ts`. */
  tools: string[];
  limits: Limits;
  status: "active" | "archived" | "deleted";
}

/** An API key as it is stored: only its SHA-256 (hex) is kept, never the key. */
export interface ApiKey {
  hash: string;
  /** The first characters of the key, for people to tell keys apart. */
  hint: string;
  agentId: string;
  organizationId: string;
  enabled: boolean;
  /** Milliseconds since 1970. */
  createdAt: number;
}

/** Organizations, agents and keys. `put…` creates or replaces the whole record. */
export interface Accounts {
  findKey(hash: string): Promise<ApiKey | undefined>;
  findAgent(id: string): Promise<Agent | undefined>;
  findOrganization(id: string): Promise<Organization | undefined>;
  putKey(key: ApiKey): Promise<void>;
  putAgent(agent: Agent): Promise<void>;
  putOrganization(organization: Organization): Promise<void>;
  /** Oldest first. */
  listKeys(agentId: string): Promise<ApiKey[]>;
  listAgents(organizationId?: string): Promise<Agent[]>;
  listOrganizations(): Promise<Organization[]>;
}

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
  updatedAt: number;
  /** Set with `technical_error`. */
  failure?: Failure;
}

/** An accepted input or a turn's final output. Turn n holds input and output n, oldest first. */
export interface TranscriptMessage {
  role: "input_to_agent" | "output_from_agent";
  text: string;
}

/** What a step leaves behind, recorded before the next thing happens. Keyed by (run, turn, step, part). */
export type StepRecord = { turn: number } & StepPart;

/** A transcript message with its place: (turn, role) is its key. */
export type TurnMessage = TranscriptMessage & { turn: number };

/**
 * One conditional, atomic write to a run. It is applied whole, or not at all when the run is missing, is not in
 * `expect`, or already has one of `steps` or `messages`.
 */
export interface RunChange {
  runId: string;
  expect: { status: RunStatus; turn: number };
  set?: { status: RunStatus; turn: number; updatedAt: number; failure?: Failure };
  messages?: TurnMessage[];
  steps?: StepRecord[];
}

/** Everything the next step of a run needs, from one consistent read. `steps`: of the current turn, in order. */
export interface RunState {
  run: Run;
  transcript: TranscriptMessage[];
  steps: StepRecord[];
}

/**
 * Runs with their transcripts and steps. Every method rejects with `StoreUnavailable` for throttling, time-outs and
 * outages, and with any other error for what waiting does not mend.
 */
export interface Runs {
  /** Stores a new run and its first messages in one write. */
  create(run: Run, messages: TurnMessage[]): Promise<void>;
  /** Run and transcript in one round trip, without the steps. */
  read(id: string): Promise<Omit<RunState, "steps"> | undefined>;
  load(id: string): Promise<RunState | undefined>;
  /** True when the change was applied, false when it lost. */
  change(change: RunChange): Promise<boolean>;
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
  /** Resolves when all files are durable. Replaces files of the same name. */
  write(runId: string, files: { name: string; content: Uint8Array }[]): Promise<void>;
  /** Sorted by name. */
  list(runId: string): Promise<WorkspaceFile[]>;
  read(runId: string, name: string): Promise<Uint8Array | undefined>;
  removeAll(runId: string): Promise<void>;
}

/** Drives a run's turn to its end, whatever happens to the caller. */
export interface Workflow {
  /** Resolves when the start is durable. Starting the same turn twice starts it once. */
  start(runId: string, turn: number): Promise<void>;
  /** Stops working on the turn; the status is the caller's to write first. A turn that is not worked on: no-op. */
  stop(runId: string, turn: number): Promise<void>;
}

/** All ports of one home: what the use cases are built on. */
export interface Stores {
  accounts: Accounts;
  runs: Runs;
  workspace: Workspace;
}
