import { operationsOf } from "../../../http/rest/operation.ts";
import { codesEverywhere, type ErrorCodeOf, errorsOf } from "../../../error-codes.ts";
import { basePath } from "../../path.ts";

/** Completes an operation of the extension API with the errors that each operation has. */
export const operation = operationsOf<ErrorCodeOf<"ext">, typeof basePath>({
  basePath,
  errors: errorsOf("ext"),
  errorsEverywhere: codesEverywhere("ext"),
  credentialErrors: ["key_missing", "key_invalid", "key_expired", "agent_deleted"],
  runTokenErrors: ["token_reads_one_run"],
});
