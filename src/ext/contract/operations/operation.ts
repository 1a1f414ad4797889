import { operationsOf } from "../../../api/rest/operation.ts";
import { type ErrorCode, errors } from "../errors.ts";

export const basePath = "/ext/v1";

/** Completes an operation of the extension API with the errors that each operation has. */
export const operation = operationsOf<ErrorCode>({
  basePath,
  errors,
  credentialErrors: ["key_missing", "key_invalid", "key_expired", "agent_deleted"],
});
