import { useState } from "preact/hooks";
import type { Agent } from "../api/types.ts";
import { useResource } from "../api/use-resource.ts";
import { formatClock, formatDateTime, shortRunId } from "../format.ts";
import { blocked } from "../state/blocked.ts";
import { pageUrl } from "../state/url.ts";
import { useAction } from "../api/use-action.ts";
import { Button } from "../ui/fields/button.tsx";
import { Loading } from "../ui/empty.tsx";
import { Select } from "../ui/fields/field.tsx";
import { Problem } from "../ui/problem.tsx";
import { actionsHead, Rows } from "../ui/rows.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import { type Delivery, type Endpoint, readDeliveries, resendDelivery, testWebhook } from "./webhook-calls.ts";

/** Deliveries of a page, and the most that are shown. */
const [pageSize, most] = [50, 200];

interface DeliveriesProps {
  agent: Pick<Agent, "id" | "organization_id">;
  /** Endpoints of the webhook besides the first. */
  endpoints: Endpoint[];
  /** Why no test message can be sent. */
  noTest: string | undefined;
}

/** The newest messages of an agent's runs. */
export function Deliveries({ agent, endpoints, noTest }: DeliveriesProps) {
  const { id: agentId } = agent;
  const reason = blocked("send messages again", agent.organization_id);
  const [limit, setLimit] = useState(pageSize);
  const [endpoint, setEndpoint] = useState("");
  const key = `${agentId} ${limit} ${endpoint}`;
  const {
    data: page,
    error,
    ...resource
  } = useResource(key, (signal) => readDeliveries(agentId, { endpoint, limit }, signal), 5_000);
  const { problem, run } = useAction();
  const send = (work: () => Promise<unknown>, done: string): void =>
    void run(async () => {
      await work();
      toast(done);
      resource.reload().catch(() => undefined);
    });
  return (
    <section class="panel scroll-x">
      <header class="panel-head">
        <h2>Deliveries</h2>
        <span class="muted">Failed attempts are repeated over a day</span>
        {endpoints.length > 0 && (
          <Select
            aria-label="Endpoint"
            value={endpoint}
            options={[
              ["", "All endpoints"],
              ["first", "The webhook itself"],
              ...endpoints.map(({ id }) => [id, id] as const),
            ]}
            onChange={setEndpoint}
          />
        )}
        <Button
          size="small"
          icon="send"
          blocked={noTest}
          onClick={() => send(() => testWebhook(agentId), "A test message is sent")}
        >
          Send test message
        </Button>
      </header>
      <Problem>{problem ?? error?.message}</Problem>
      {!page && !error && <Loading rows={3} />}
      {page?.data.length === 0 && <p class="none">Nothing was sent yet: no run that is reported has ended.</p>}
      {page && page.data.length > 0 && (
        <DeliveryTable
          deliveries={page.data}
          reason={reason}
          onResend={({ id }) => send(() => resendDelivery(id), "The message is sent again")}
        />
      )}
      {page?.next != null && limit < most && (
        <p class="none">
          <Button size="small" onClick={() => setLimit(most)}>
            Show more
          </Button>
        </p>
      )}
    </section>
  );
}

interface DeliveryTableProps {
  deliveries: Delivery[];
  /** Why none can be sent again now. */
  reason: string | undefined;
  onResend: (delivery: Delivery) => void;
}

function DeliveryTable({ deliveries, reason, onResend }: DeliveryTableProps) {
  return (
    <Rows
      rows={deliveries}
      keyOf={({ id }) => id}
      columns={[
        { head: "When", title: ({ at }) => formatDateTime(at), cell: ({ at }) => <RelativeTime at={at} /> },
        { head: "Message", cellClass: "mono", cell: ({ type }) => type },
        {
          head: "Run",
          cell: ({ type, run_id, turn }) => (
            <>
              {type !== "webhook.test" && (
                <a class="mono" href={pageUrl(`runs/${run_id}`)}>
                  {shortRunId(run_id)}
                </a>
              )}{" "}
              {turn > 1 && <span class="muted">turn {turn}</span>}
            </>
          ),
        },
        { head: "State", cell: (delivery) => <State delivery={delivery} /> },
        { head: "Last attempt", cell: (delivery) => <LastAttempt delivery={delivery} /> },
        {
          head: actionsHead,
          cellClass: "number",
          cell: (delivery) => (
            <Button
              size="small"
              blocked={delivery.last_attempt === null ? "It is being sent." : reason}
              onClick={() => onResend(delivery)}
            >
              Send again
            </Button>
          ),
        },
      ]}
    />
  );
}

function State({ delivery: { state, next_attempt_at: next, attempts } }: { delivery: Delivery }) {
  if (state === "failed") return <span class="badge warn">failed</span>;
  if (state === "delivered" || next === null || attempts === 0) return <>{state}</>;
  return <span title={formatDateTime(next)}>next attempt at {formatClock(Date.parse(next))}</span>;
}

function LastAttempt({ delivery: { attempts, last_attempt: attempt } }: { delivery: Delivery }) {
  if (!attempt) return <span class="muted">none yet</span>;
  const { status, problem, milliseconds } = attempt;
  return (
    <span title={`${formatDateTime(attempt.at)}, ${milliseconds} ms`}>
      {[status, problem].filter((part) => part !== null).join(": ")}
      {attempts > 1 && <span class="muted"> after {attempts} attempts</span>}
    </span>
  );
}
