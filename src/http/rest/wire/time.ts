/** A time of the contract: RFC 3339, in UTC with milliseconds. Null: not recorded. */
export function timeOf(milliseconds: number): string;
export function timeOf(milliseconds: number | undefined): string | null;
export function timeOf(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
