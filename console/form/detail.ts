import { ApiError } from "../api/client.ts";
import type { Violation } from "./messages.ts";

/** The violations of a rejected body, or the sentence of another error. */
export function detailOf(error: unknown): string | Violation[] {
  if (error instanceof ApiError) return error.issues.length > 0 ? error.issues : error.message;
  return error instanceof Error ? error.message : String(error);
}
