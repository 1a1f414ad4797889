import type { LiveText } from "../runs/read/live-text.ts";
import type { Companions, InputLimits } from "../runs/control/control-run.ts";
import type { OpenCounts } from "../http/open-counts.ts";
import type { Secrets } from "../agent/secret.ts";
import type { WebhookUrlRules } from "../accounts/webhook-url.ts";
import type { LiveOutput } from "../runs/read/live-output.ts";
import type { PendingUse, ServedTransfers, Stores, TextIndex, Workflow } from "../runs/ports.ts";
import type { KnownEnvironment } from "../sandbox/linux/linux-types.ts";
import type { EvaluateDeps } from "../trials/evaluate-attempt.ts";
import type { Trials } from "../trials/ports.ts";
import type { Schemas } from "./call.ts";

/** What the service is, for `GET /me`. */
export interface ServiceInfo extends Pick<Schemas["Me"], "platform" | "version" | "sign_in" | "stack"> {
  /** Base address of v1. Null: unknown. */
  serviceUrl: () => string | null;
  /** Bytes of the longest request body. */
  bodyBytes: number;
  /** The environments that are known here, the default first. Never rejects. Absent: they cannot be listed. */
  environments?: () => Promise<KnownEnvironment[]>;
}

/** What the handlers of the management API need. */
export interface ManageDeps extends InputLimits, Stores, Secrets {
  workflow: Workflow;
  trials: Trials;
  companions: Companions;
  /** Checks results against schemas, for assertions of trials. Absent: they cannot be checked. */
  checkResultOf?: NonNullable<EvaluateDeps["checkResultOf"]>;
  /** Of a stack. Absent: on one machine, the `keepDays` of each agent decide. */
  retentionDays?: number;
  now: () => number;
  /** Addresses of the URLs of webhooks that accept private ones. Default: `private`. */
  addresses?: WebhookUrlRules["addresses"];
  service: ServiceInfo;
  /** Sends files while they are read (one machine). Absent: a file is read as a whole. */
  send?: ServedTransfers["send"];
  /** Bytes of the largest response that is not text. Absent: responses are sent while they are read. */
  maxResponseBytes?: number;
  /** Of the words of records (one machine). Absent: a search reads the records of the newest runs. */
  textIndex?: TextIndex;
  /** The output of calls in progress, which streams of events report. Absent: another process runs them. */
  live?: LiveOutput;
  /** Poll interval of event streams, in milliseconds. Absent: a stream ends after the recorded events. */
  streamInterval?: number;
  /** Absent: streams have no text of answers in progress. */
  texts?: Pick<LiveText, "of" | "changed">;
  /** Open streams by organization and agent, or by operator. Absent: not limited. */
  streams?: OpenCounts;
  /** The most that one agent may have pending. Absent: not limited. */
  maxPending?: PendingUse;
}
