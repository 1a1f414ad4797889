const day = 86_400_000;

/** When a new key or link is to end: days from now, at the beginning of a day such as 2027-01-31 (UTC), or never. */
export interface ExpiryChoice {
  days?: number;
  date?: string;
}

/** The chosen end, RFC 3339. Undefined: it does not expire. */
export function endOf({ days, date }: ExpiryChoice, now: number): string | undefined {
  if (days !== undefined) return new Date(now + days * day).toISOString();
  return date === undefined ? undefined : `${date}T00:00:00Z`;
}
