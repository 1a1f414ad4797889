const hour = 3_600_000;

/** When this process last wrote the use of a token, by hash. A failed write is not repeated within the hour either. */
const written = new Map<string, number>();
const maxTokens = 10_000;

/**
 * Records that an API key or an operator token is used, at most once an hour. It returns at once and never fails: the
 * request does not wait for it. Lambda may freeze the process before the response to the write arrives. The write has then
 * usually been applied, and otherwise another process writes it.
 *
 * `touch` sets the time of the last use, unless it is `before` or later.
 */
export function recordUse(
  { hash, lastUsedAt = 0 }: { hash: string; lastUsedAt?: number },
  now: number,
  touch: (at: number, before: number) => Promise<void>,
): void {
  const last = Math.max(lastUsedAt, written.get(hash) ?? 0);
  if (now - last < hour) return;
  if (written.size >= maxTokens) written.clear();
  written.set(hash, now);
  touch(now, now - hour).catch(() => {});
}
