import type { Starter } from "../accounts/starter.ts";
import type { Failure } from "../agent/model.ts";
import type { Usage } from "../agent/turn/turn-limits.ts";
import type { ChosenSettings } from "./begin/chosen-settings.ts";
import type { Labels } from "./labels.ts";
import type { RunStatus } from "./status.ts";

/** One run of an agent (`agent_id` in the API). Times are milliseconds since 1970. */
export interface Run {
  id: string;
  agentId: string;
  organizationId: string;
  name: string;
  status: RunStatus;
  /** Number of turns started; 0 for a run created without input. */
  turn: number;
  createdAt: number;
  /** When status or turn was last set. */
  updatedAt: number;
  /** Set with `technical_error`. */
  failure?: Failure;
  /** Number of queued inputs. Absent: none. */
  queued?: number;
  /** Usage of all turns. Absent: none. `milliseconds` counts ended turns only. */
  used?: Usage;
  /** Model of the last answer. Absent: there is none, or only from an earlier release. */
  model?: string;
  /** Names of the tools that its answers called, sorted. Absent: none, or only in an earlier release. */
  tools?: string[];
  /** Number of the run's last event. 0: none, or none since the service numbers them. */
  sequence: number;
  /** Whose quota the current turn counts towards. Absent: nobody's, or the run is not `running`. */
  quotaOf?: QuotaScope;
  /** True: the turn waits for a slot. False: it has waited and was started. Absent: it did not have to wait. */
  waiting?: boolean;
  /** Until when tool calls of the turn wait for answers (`asked` in the journal). Absent: none waits. */
  askedUntil?: number;
  /** How often turns of the run have waited for answers, or were retried. Absent: 0. */
  pauses?: number;
  /** Milliseconds that the current turn had worked when it last began to wait for answers. Absent: 0. */
  worked?: number;
  /** Of the client. Erased with the run's texts. Absent: none. */
  labels?: Labels;
  /** Where the ends of turns are reported. Set by the create. Absent: nowhere. */
  webhook?: WebhookTarget;
  /** Who created it. Absent: an earlier release did. */
  startedBy?: Starter;
  /** SHA-256 (hex) of the schema of its results, among the agent's configurations. Absent: that of the agent applies. */
  resultSchema?: string;
  /** What its create chose for all its turns. Absent: nothing. */
  chosen?: ChosenSettings;
  /** Tokens that read this run, expired ones included. Absent: none. */
  tokens?: RunToken[];
  /** Where the record of an imported run comes from. Such a run is read-only. Absent: the service recorded it. */
  imported?: ImportOrigin;
}

/** What a bundle said of a run that was imported. The times of the imported run itself are those of the import. */
export interface ImportOrigin {
  /** Id of the run that was recorded. */
  runId: string;
  /** SHA-256 (hex) of the bundle. */
  sha256: string;
  /** Absent: the run was erased. */
  run?: BundledRun;
  /** Hashes of configurations that the record names and the bundle does not have. Absent: none. */
  missing?: string[];
}

/** A token that reads one run. Times are milliseconds since 1970. */
export interface RunToken {
  /** The first characters of the hash. */
  id: string;
  /** SHA-256 (hex) of the token. */
  hash: string;
  createdAt: number;
  expiresAt: number;
}

/** `agent`: the webhook of the run's agent. Otherwise the run's own URL. */
export type WebhookTarget = "agent" | (string & {});

/** The agent's quota only, or also its organization's. */
export type QuotaScope = (typeof quotaScopes)[number];

export const quotaScopes = ["agent", "organization"] as const;

/** The fields of a run that a bundle has: none that belongs to its service, such as its owner, its webhook or its tokens. */
export type BundledRun = Pick<
  Run,
  { [Name in RunField]: (typeof fields)[Name]["bundled"] extends true ? Name : never }[RunField]
>;

/**
 * How the stores keep a value. `count`: a number that is 0 where nothing was stored; an optional one is then absent. `map`: JSON on one
 * machine, a map on AWS. `json`: JSON on both. The others have a form of their own: who started it, sums that a change adds to, a set
 * of names, and where a run was imported from.
 */
type KindOf<Value> = [Value] extends [boolean]
  ? "flag"
  : [Value] extends [number]
    ? "number" | "count"
    : [Value] extends [string]
      ? "text"
      : "map" | "json" | "starter" | "usage" | "names" | "origin";
export type Kind = KindOf<boolean> | KindOf<number> | KindOf<string> | KindOf<object>;

/**
 * The copies of a run that begin with some of its fields: a fork, the case of a suite, and an imported run, whose fields are those
 * of the bundle. An attempt of a trial has none of them: what applies to it is in its settings.
 */
export type Copy = "fork" | "case" | "import";

interface Field<Value> {
  /** Its column on one machine. On AWS, the attribute has the name of the field. */
  column: string;
  kind: KindOf<Value>;
  /** What is left of it when the texts of the run are erased. `origin`: only which run was imported. */
  left: "all" | "nothing" | "" | 0 | "origin";
  /** Whether a bundle has it. */
  bundled: boolean;
  /** Its name, status and numbers are given to each copy. */
  copied: readonly Copy[];
  /** Version of the database on one machine that brought the column. Absent: 14 or earlier. */
  since?: number;
}

/**
 * What stores, erasures, bundles and copies do with each field of a run. All of them follow from this table, and so does the
 * column. In the order of the columns.
 */
export const fields = {
  id: { column: "id", kind: "text", left: "all", bundled: false, copied: [] },
  agentId: { column: "agent_id", kind: "text", left: "all", bundled: false, copied: [] },
  organizationId: { column: "organization_id", kind: "text", left: "all", bundled: false, copied: [] },
  name: { column: "name", kind: "text", left: "", bundled: true, copied: [] },
  status: { column: "status", kind: "text", left: "all", bundled: true, copied: [] },
  turn: { column: "turn", kind: "number", left: "all", bundled: true, copied: [] },
  createdAt: { column: "created_at", kind: "number", left: "all", bundled: true, copied: [] },
  updatedAt: { column: "updated_at", kind: "number", left: "all", bundled: true, copied: [] },
  sequence: { column: "sequence", kind: "count", left: 0, bundled: true, copied: [] },
  failure: { column: "failure", kind: "map", left: "nothing", bundled: true, copied: [] },
  queued: { column: "queued", kind: "count", left: 0, bundled: false, copied: [] },
  used: { column: "used", kind: "usage", left: "all", bundled: true, copied: [] },
  quotaOf: { column: "quota_of", kind: "text", left: "all", bundled: false, copied: [] },
  waiting: { column: "waiting", kind: "flag", left: "all", bundled: false, copied: [] },
  model: { column: "model", kind: "text", left: "all", bundled: true, copied: [] },
  labels: { column: "labels", kind: "map", left: "nothing", bundled: true, copied: ["import"] },
  webhook: { column: "webhook", kind: "text", left: "all", bundled: false, copied: [] },
  startedBy: { column: "started_by", kind: "starter", left: "all", bundled: false, copied: [] },
  tokens: { column: "tokens", kind: "json", left: "nothing", bundled: false, copied: [] },
  tools: { column: "tools", kind: "names", left: "nothing", bundled: true, copied: [] },
  resultSchema: { column: "result_schema", kind: "text", left: "all", bundled: true, copied: ["fork", "case"] },
  askedUntil: { column: "asked_until", kind: "number", left: "all", bundled: false, copied: [] },
  pauses: { column: "pauses", kind: "number", left: "all", bundled: false, copied: [] },
  worked: { column: "worked", kind: "number", left: "all", bundled: false, copied: [] },
  imported: { column: "imported", kind: "origin", left: "origin", bundled: false, copied: ["case"] },
  chosen: { column: "chosen", kind: "json", left: "all", bundled: true, copied: ["fork", "case"] },
} as const satisfies { [Name in keyof Run]-?: Field<NonNullable<Run[Name]>> };

export type RunField = keyof typeof fields;

/** A field with its name. */
export type NamedField = { name: RunField; kind: Kind } & Omit<Field<unknown>, "kind">;

/** All fields, in the order of the table. */
export const allFields = Object.entries(fields).map(([name, field]) => Object.assign({ name }, field)) as NamedField[];

/** The fields that each run has. The stores read them by name, and the others by the table: all by the table takes 3 times as long. */
export const requiredFields = [
  "id",
  "agentId",
  "organizationId",
  "name",
  "status",
  "turn",
  "createdAt",
  "updatedAt",
  "sequence",
] as const satisfies RunField[];

/** The fields that a run need not have. */
export const optionalFields = allFields.filter(({ name }) => !requiredFields.some((required) => required === name));
