import { ServiceError } from "../errors.ts";

/** The run has ended, was not created, or is gone. */
export function ignoreEnded(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}
