import type { At, OperationEntry, PathAt, Queries, TypedOperation } from "../http/rest/operation.ts";
import { type Api, type SharedOperation, sharedOperations } from "./contract.ts";

type OperationIn<Base extends string, Entry extends { at: At }> = TypedOperation<
  PathAt<Base, Entry["at"]>,
  Entry extends { query: infer Query extends Queries } ? Query : never,
  Entry extends { request: infer Request extends string } ? Request : never,
  Entry extends { requestOptional: infer Optional extends true } ? Optional : never,
  Entry extends { success: { body: infer Body extends string } } ? Body : never
>;

type Shared = typeof sharedOperations;

/** The shared operations as one API has them. `complete`: adds what all operations of the API have. `Common`: the types of that. */
export function operationsFor<Name extends Api, const Base extends string, Common = unknown>(
  api: Name,
  complete: (operationId: string, entry: OperationEntry<never>) => object,
) {
  const entries = Object.entries<SharedOperation>(sharedOperations).map(([operationId, operation]) => {
    const { for: apis, errors = [], ...shared } = operation;
    const { errors: own = [], ...more } = apis[api];
    const entry = { ...shared, ...more, errors: [...errors, ...own] };
    return [operationId, complete(operationId, entry as unknown as OperationEntry<never>)];
  });
  return Object.fromEntries(entries) as {
    [Id in keyof Shared]: OperationIn<Base, Omit<Shared[Id], "for"> & Shared[Id]["for"][Name]> & Common;
  };
}
