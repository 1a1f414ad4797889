/** The description of the field that ends a new key or token. */
export function expiry(what: string): string {
  return `${what} is rejected from this time on: in the future, at most ten years from now. Left out: it does not expire.`;
}
