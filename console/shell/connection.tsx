import { connection, retryNow } from "../api/connection.ts";
import { formatClock } from "../format.ts";
import { Button } from "../ui/fields/button.tsx";
import { useNow } from "../ui/time.tsx";

/** The state of the connection in one word. */
export function ConnectionState() {
  const { value } = connection;
  const now = useNow();
  if (value.state === "live") return <span class="connection">Live</span>;
  if (value.state === "offline") return <span class="connection offline">Offline</span>;
  const seconds = Math.max(0, Math.ceil((value.nextAt - now) / 1_000));
  return (
    <span class="connection reconnecting">
      Reconnecting, try {value.attempt}, next in {seconds} s
    </span>
  );
}

/** What an interrupted connection means, and a way to try again at once. */
export function ConnectionBanner() {
  const { value } = connection;
  if (value.state === "live") return <div />;
  return (
    <div class={`banner ${value.state}`} role="status">
      {value.state === "offline" ? `Offline since ${formatClock(value.since)}. ` : "The service does not respond. "}
      What you see is as of {formatClock(value.since)}.
      <Button size="small" onClick={() => retryNow.value++}>
        Retry
      </Button>
    </div>
  );
}
