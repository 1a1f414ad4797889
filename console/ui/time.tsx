import { useEffect } from "preact/hooks";
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

/** A time relative to now, up to a day; then the date. The tooltip has the exact time. `at`: RFC 3339. */
export function RelativeTime({ at }: { at: string | null }) {
  const time = useNow();
  if (at === null) return <span class="muted">not recorded</span>;
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatRelative(Date.parse(at), time)}
    </time>
  );
}
