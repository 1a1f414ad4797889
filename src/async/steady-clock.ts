/** A clock that begins at the time of another one and is never set. In milliseconds since 1970, for durations and deadlines. */
export function steadyClock(now: () => number): () => number {
  const [begin, since] = [now(), performance.now()];
  return () => Math.round(begin + performance.now() - since);
}
