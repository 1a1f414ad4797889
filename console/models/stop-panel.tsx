import { useState } from "preact/hooks";
import type { Organization } from "../api/types.ts";
import { formatDateTime } from "../format.ts";
import { blocked } from "../state/blocked.ts";
import { Button } from "../ui/fields/button.tsx";
import { Confirm } from "../ui/dialogs/confirm.tsx";
import { Icon } from "../ui/icon.tsx";
import { setModelsStopped } from "./model-calls.ts";

/** Stops all model calls of an organization, or shows that they are stopped and lifts it. */
export function StopPanel({ organization: { id, name, models_stopped_at: since } }: { organization: Organization }) {
  const [isAsking, setAsking] = useState(false);
  const reason = blocked("stop model calls", id);
  return (
    <>
      {since === null ? (
        <Button kind="danger" blocked={reason} onClick={() => setAsking(true)}>
          Stop all model calls
        </Button>
      ) : (
        <section class="note warn conflict" role="status">
          <Icon name="warning" />
          <p>
            Model calls have been stopped since {formatDateTime(since)}. New runs are rejected; failed turns can be
            retried.
          </p>
          <Button kind="primary" blocked={reason} onClick={() => setAsking(true)}>
            Resume model calls
          </Button>
        </section>
      )}
      {isAsking && (
        <Confirm
          title={since === null ? "Stop all model calls?" : "Resume model calls?"}
          action={since === null ? "Stop model calls" : "Resume model calls"}
          danger={since === null}
          onConfirm={() => setModelsStopped(id, since === null)}
          onClose={() => setAsking(false)}
        >
          {since === null
            ? `No model call of ${name} begins any more, from 5 seconds on. Turns that need a model fail and can be retried later. New runs are rejected.`
            : `New runs of ${name} are accepted, and model calls begin again. Turns that failed meanwhile stay failed until they are retried.`}
        </Confirm>
      )}
    </>
  );
}
