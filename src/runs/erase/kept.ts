import { hash } from "node:crypto";

/**
 * The id of something that does not expire: a UUID of version 8 (RFC 9562) from the SHA-256 of the parts. Equal parts have the same
 * id, so that a copy of a turn is found by what it is a copy of.
 */
export function keptId(...parts: string[]): string {
  const digits = hash("sha256", JSON.stringify(parts));
  const uuid = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
  return [...uuid, digits.slice(20, 32)].join("-");
}

/** Whether a run, or the owner of runs, does not expire. Other ids have the versions 4 and 7. */
export function isKept(id: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-8/.test(id);
}
