import { useEffect } from "preact/hooks";
import { connection } from "../api/connection.ts";
import { formatDateTime, formatRelative } from "../format.ts";
import { signal } from "@preact/signals";

const now = signal(Date.now());
let clocks = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** The current time in milliseconds since 1970. It ticks once a second while a component uses it. */
export function useNow(): number {
  useEffect(() => {
    if (++clocks === 1) timer = setInterval(() => (now.value = Date.now()), 1_000);
    return () => {
      if (--clocks === 0) clearInterval(timer);
    };
  }, []);
  return now.value;
}

/** The time up to which the page knows: it stands still while the service does not respond. */
export function useKnownNow(): number {
  const time = useNow();
  const { value } = connection;
  return value.state === "live" ? time : Math.min(time, value.since);
}

/** A time relative to now, up to a day; then the date. The tooltip has the exact time. `at`: RFC 3339. */
export function RelativeTime({ at }: { at: string | null }) {
  const time = useKnownNow();
  if (at === null) return <span class="muted">not recorded</span>;
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatRelative(Date.parse(at), time)}
    </time>
  );
}
