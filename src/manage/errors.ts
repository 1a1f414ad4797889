import { type ErrorFormat, HttpError } from "../api/handlers/errors.ts";
import { type ErrorCode, errors } from "./contract/errors.ts";

/** How the management API reports errors: `{"detail", "code"}`. */
export const errorFormat: ErrorFormat = {
  statusOf: (code) => (code in errors ? errors[code as ErrorCode].status : 409),
  body: (detail, code) => ({ detail, code }),
};

/** An error of the management API with its status. `detail`: default is the text of the contract. */
export function manageError(
  code: ErrorCode,
  detail: string = errors[code].detail,
  headers: Record<string, string> = {},
): HttpError {
  return new HttpError(errors[code].status, detail, { code, headers });
}
