import { type ErrorFormat, HttpError } from "../errors.ts";
import type { ErrorCodeOf, ErrorEntry } from "../../error-codes.ts";

/** The codes that the management API and the extension API share. */
export type SharedErrorCode = ErrorCodeOf<"ext"> & ErrorCodeOf<"manage">;

/** The errors of an API whose error bodies are `{"detail", "code"}`. */
export interface ApiErrors<Code extends string> {
  format: ErrorFormat;
  /** An error with its status. `detail`: default is the text of the table. */
  error: (code: Code, detail?: string, headers?: Record<string, string>) => HttpError;
}

/** Errors as a table of the contract describes them. A code of a use case that is not in the table is a 409. */
export function apiErrors<Code extends string>(table: Record<Code, ErrorEntry>): ApiErrors<Code> {
  return {
    format: {
      statusOf: (code) => (code in table ? table[code as string as Code].status : 409),
      body: (detail, code) => ({ detail, code }),
    },
    error: (code, detail = table[code].detail, headers = {}) =>
      new HttpError(table[code].status, detail, { code, headers }),
  };
}
