import type { Operation } from "../../../http/description.ts";
import { type OperationEntry, operationsOf } from "../../../http/rest/operation.ts";
import { type ErrorCodeOf, errorsOf } from "../../../error-codes.ts";

/** What a caller may do. A viewer may only read. */
export type Role = "operator" | "viewer";

/** An operation of the management API. */
export interface ManageOperation extends Operation {
  /** The least role that may call it. */
  role: Role;
  /** Whether it requires the role in all organizations. */
  service: boolean;
}

export const basePath = "/manage/v1";

const complete = operationsOf<ErrorCodeOf<"manage">>({
  basePath,
  errors: errorsOf("manage"),
  credentialErrors: ["key_missing", "key_invalid", "key_expired", "forbidden"],
});

/**
 * Completes an operation with its role and with the errors that each operation has. `service`: it concerns the service
 * itself, so that operators who are limited to organizations may not call it.
 */
export function operation(
  operationId: string,
  { service = false, ...entry }: OperationEntry<ErrorCodeOf<"manage">> & { service?: boolean },
): ManageOperation {
  const role = entry.at.startsWith("GET ") ? "viewer" : "operator";
  const where = service ? " in all organizations" : "";
  const description =
    role === "operator" || service ? `${entry.description} Requires the role \`${role}\`${where}.` : entry.description;
  return { ...complete(operationId, { ...entry, description }), role, service };
}
