/** The milliseconds of a `Retry-After` header: seconds, or a date (RFC 9110, 10.2.3). Undefined if it is neither. */
export function retryAfter(header: string | null | undefined, now = Date.now()): number | undefined {
  const value = header?.trim();
  if (!value) return undefined;
  const wait = /^[\d.]+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isNaN(wait) ? undefined : Math.max(0, Math.round(wait));
}
