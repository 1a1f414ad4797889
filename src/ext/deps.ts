import type { InputLimits } from "../runs/control-run.ts";
import type { OpenCounts } from "../http/open-counts.ts";
import type { CreateRunDeps } from "../runs/create-run.ts";
import type { PendingUse, ServedTransfers, SignedTransfers } from "../runs/ports.ts";

/** What the handlers of the extension API need. */
export interface ExtDeps extends InputLimits, CreateRunDeps {
  /** Poll interval of event streams, in milliseconds. Absent: a stream ends after the recorded events. */
  streamInterval?: number;
  /** Open streams by agent, or by operator. Absent: not limited. */
  streams?: OpenCounts;
  /** How files get from and to clients: through this service, or past it with signed requests. */
  transfers: ServedTransfers | SignedTransfers;
  limits: {
    /** Bytes of all files in the body of a create together. */
    inlineBytes: number;
    /** Bytes of one upload. */
    uploadBytes: number;
    /** What the uploads of an agent that have not expired can be together. Absent: they are not counted. */
    pending?: PendingUse;
  };
}
