import { ServiceError } from "../errors.ts";

/** The end of a key or token, in milliseconds since 1970. Absent: it does not expire. */
export interface Expiring {
  expiresAt?: number;
}

const day = 86_400_000;

/** The latest accepted end: times of more years do not fit into the dates of the API. */
const maxMilliseconds = 3_650 * day;

export function isExpired({ expiresAt = Infinity }: Expiring, now: number): boolean {
  return expiresAt <= now;
}

/** Throws for an end that is not in the future, or more than ten years away. */
export function checkExpiry(expiresAt: number, now: number): void {
  if (expiresAt > now && expiresAt - now <= maxMilliseconds) return;
  const received = Number.isFinite(expiresAt) ? new Date(expiresAt).toISOString() : String(expiresAt);
  const message = `the expiry is ${received}; expected a time in the future, at most ten years from now`;
  throw new ServiceError("invalid_argument", message);
}

/** Days before its end from which a key or token stands out. */
export const soonDays = 14;

/** Whether a key or token ends within two weeks, or has ended: the time to hand over another one. */
export function endsSoon({ expiresAt = Infinity }: Expiring, now: number): boolean {
  return expiresAt - now <= soonDays * day;
}

/** The end of a key or token for people, such as `in 6 days` or `expired`. Undefined: it does not expire. */
export function expiryText({ expiresAt }: Expiring, now: number): string | undefined {
  if (expiresAt === undefined) return undefined;
  const left = expiresAt - now;
  if (left <= 0) return "expired";
  const [count, unit] = left < 2 * day ? [Math.ceil(left / 3_600_000), "hour"] : [Math.floor(left / day), "day"];
  return `in ${count} ${unit}${count === 1 ? "" : "s"}`;
}
