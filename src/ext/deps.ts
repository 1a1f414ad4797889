import type { Companions, InputLimits } from "../runs/control/control-run.ts";
import type { EventsDeps } from "../http/rest/list-events.ts";
import type { CreateRunDeps } from "../runs/begin/create-run.ts";
import type { PendingUse, ServedTransfers, SignedTransfers } from "../runs/ports.ts";

/** What the handlers of the extension API need. */
export interface ExtDeps extends InputLimits, CreateRunDeps, Omit<EventsDeps, "runs" | "describer" | "now"> {
  companions: Companions;
  /** Reads that wait for the end of a turn. */
  wait: {
    /** How often the run is read, in milliseconds. */
    interval: number;
    /** Seconds that clients ask for by themselves. 0: they poll, because each wait occupies a function. */
    clientSeconds: number;
  };
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
