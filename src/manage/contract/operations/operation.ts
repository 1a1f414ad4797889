import {
  type At,
  type OperationEntry,
  operationsOf,
  type PathAt,
  type Queries,
  type TypedOperation,
} from "../../../http/rest/operation.ts";
import { codesEverywhere, type ErrorCodeOf, errorsOf } from "../../../error-codes.ts";
import { basePath } from "../../path.ts";

/** What a caller may do. A viewer may only read. */
export type Role = "operator" | "viewer";

/** Who may call an operation. */
export interface Permission {
  /** The least role that may call it. */
  role: Role;
  /** Whether it requires the role in all organizations. */
  service: boolean;
}

/** An operation of the management API. */
export type ManageOperation = TypedOperation & Permission;

type Entry<
  Place extends At,
  Query extends Queries,
  Request extends string,
  Optional extends true,
  Body extends string,
> = OperationEntry<ErrorCodeOf<"manage">, Place, Query, Request, Optional, Body> & { service?: boolean };

const complete = operationsOf<ErrorCodeOf<"manage">, typeof basePath>({
  basePath,
  errors: errorsOf("manage"),
  errorsEverywhere: codesEverywhere("manage"),
  credentialErrors: ["key_missing", "key_invalid", "key_expired", "forbidden"],
  notFound: {
    organization_id: "organization_not_found",
    agent_id: "agent_not_found",
    key_id: "key_not_found",
    run_id: "run_not_found",
    delivery_id: "delivery_not_found",
    operator_id: "operator_not_found",
    trial_id: "trial_not_found",
    suite: "suite_not_found",
  },
});

/**
 * Completes an operation with its role and with the errors that each operation has. `service`: it concerns the service
 * itself, so that operators who are limited to organizations may not call it.
 */
export function operation<
  Place extends At,
  const Query extends Queries = never,
  Request extends string = never,
  Optional extends true = never,
  Body extends string = never,
>(
  operationId: string,
  entry: Entry<Place, Query, Request, Optional, Body>,
): TypedOperation<PathAt<typeof basePath, Place>, Query, Request, Optional, Body> & Permission {
  const { service = false, ...more } = entry;
  const role = more.at.startsWith("GET ") ? "viewer" : "operator";
  const where = service ? " in all organizations" : "";
  const description =
    role === "operator" || service ? `${more.description} Requires the role \`${role}\`${where}.` : more.description;
  return { ...complete(operationId, { ...more, description }), role, service };
}

/** Completes the operations of a group of the document. */
export const operationsIn =
  (tag: string) =>
  <
    Place extends At,
    const Query extends Queries = never,
    Request extends string = never,
    Optional extends true = never,
    Body extends string = never,
  >(
    operationId: string,
    entry: Omit<Entry<Place, Query, Request, Optional, Body>, "tag"> & { tag?: string },
  ) =>
    operation(operationId, { tag, ...entry });
