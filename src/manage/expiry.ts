import { timeIn } from "../http/rest/parameter-values.ts";

/** The end of a new key or token, in milliseconds since 1970. Undefined: it does not expire. */
export function expiryIn(expires_at: string | null | undefined): number | undefined {
  return expires_at === undefined || expires_at === null ? undefined : timeIn("expires_at", expires_at);
}
