import { endsSoon, expiryText } from "../../../src/accounts/expiry.ts";
import { formatDateTime } from "../../format.ts";
import { endOf, type ExpiryChoice } from "./expiry-choice.ts";
import { SelectField, TextField } from "./field.tsx";
import type { Column } from "../rows.tsx";
import { RelativeTime, useKnownNow } from "../time.tsx";

/** When a key or link ends. From two weeks before, the end stands out. `at`: RFC 3339; null: it does not expire. */
function Expiry({ at }: { at: string | null }) {
  const now = useKnownNow();
  if (at === null) return <span class="muted">never</span>;
  const ends = { expiresAt: Date.parse(at) };
  const kind = ends.expiresAt <= now ? "badge bad" : endsSoon(ends, now) ? "badge warn" : undefined;
  return (
    <time dateTime={at} title={formatDateTime(at)} class={kind}>
      {expiryText(ends, now)}
    </time>
  );
}

/** What is known of a key or link without its secret. */
interface KnownSecret {
  hint: string;
  created_at: string | null;
  last_used_at: string | null;
  expires_at: string | null;
}

/** The columns that keys and links have in common. */
export const secretColumns: Column<KnownSecret>[] = [
  { head: "Starts with", cellClass: "mono", cell: ({ hint }) => `${hint}…` },
  { head: "Created", cell: ({ created_at: at }) => <RelativeTime at={at} /> },
  { head: "Last used", cell: ({ last_used_at: at }) => (at === null ? "never" : <RelativeTime at={at} />) },
  { head: "Expires", cell: ({ expires_at: at }) => <Expiry at={at} /> },
];

interface ExpiryFieldProps {
  choice: ExpiryChoice;
  onChange: (choice: ExpiryChoice) => void;
}

const periods: [string, string][] = [
  ["never", "never"],
  ["30", "in 30 days"],
  ["90", "in 90 days"],
  ["365", "in a year"],
  ["date", "on a date"],
];

/** Asks when a key or link ends. */
export function ExpiryField({ choice: { days, date }, onChange }: ExpiryFieldProps) {
  const tomorrow = endOf({ days: 1 }, Date.now())?.slice(0, 10);
  const choose = (value: string): void => {
    if (value === "never") onChange({});
    else onChange(value === "date" ? { date: tomorrow ?? "" } : { days: Number(value) });
  };
  return (
    <>
      <SelectField
        name="Expires"
        help="Requests with it get 401 from then on."
        value={date === undefined ? String(days ?? "never") : "date"}
        options={periods}
        onChange={choose}
      />
      {date !== undefined && (
        <TextField
          name="Expiry date"
          help="It ends when this day begins, in UTC."
          type="date"
          required
          min={tomorrow}
          value={date}
          onInput={(day) => onChange({ date: day })}
        />
      )}
    </>
  );
}
