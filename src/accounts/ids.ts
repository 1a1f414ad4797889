/** Ids are stored in lower case. Callers may paste them in upper case or with spaces around them. */
export function normalizeId(id: string): string {
  return id.trim().toLowerCase();
}
