import type { Accounts, ApiKey } from "./types.ts";

const hour = 3_600_000;

/** When this process last wrote the use of a key, by hash. A failed write is not repeated within the hour either. */
const written = new Map<string, number>();
const maxKeys = 10_000;

/**
 * Records that a key is used, at most once an hour. It returns at once and never fails: the request does not wait for it.
 * Lambda may freeze the process before the response to the write arrives. The write has then usually been applied, and
 * otherwise another process writes it.
 */
export function recordKeyUse(accounts: Accounts, { hash, lastUsedAt = 0 }: ApiKey, now: number): void {
  const last = Math.max(lastUsedAt, written.get(hash) ?? 0);
  if (now - last < hour) return;
  if (written.size >= maxKeys) written.clear();
  written.set(hash, now);
  accounts.touchKey(hash, now, now - hour).catch(() => {});
}
