import type { Operation } from "../../../api/description.ts";
import { type OperationEntry, operationsOf } from "../../../api/rest/operation.ts";
import { type ErrorCode, errors } from "../errors.ts";

/** What a caller may do. A viewer may only read. */
export type Role = "operator" | "viewer";

/** An operation of the management API. */
export interface ManageOperation extends Operation {
  /** The least role that may call it. */
  role: Role;
}

export const basePath = "/manage/v1";

const complete = operationsOf<ErrorCode>({
  basePath,
  errors,
  credentialErrors: ["key_missing", "key_invalid", "forbidden"],
});

/** Completes an operation with its role and with the errors that each operation has. */
export function operation(operationId: string, entry: OperationEntry<ErrorCode>): ManageOperation {
  const role = entry.at.startsWith("GET ") ? "viewer" : "operator";
  const description = role === "operator" ? `${entry.description} Requires the role \`operator\`.` : entry.description;
  return { ...complete(operationId, { ...entry, description }), role };
}
