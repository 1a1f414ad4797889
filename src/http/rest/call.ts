import type { ApiRequest, ApiResponse } from "../handler.ts";

/** An operation in the generated types of an API. */
interface TypedOperation {
  parameters: object;
}

type Path<Of extends TypedOperation> = Of["parameters"] extends { path: infer Values } ? Values : object;
type Query<Of extends TypedOperation> = Of["parameters"] extends { query?: infer Values }
  ? NonNullable<Values>
  : object;
type Body<Of extends TypedOperation> = Of extends { requestBody: Json<infer Value> }
  ? Value
  : Of extends { requestBody?: Json<infer Value> }
    ? Value | undefined
    : undefined;
interface Json<Value> {
  content: { "application/json": Value };
}

/** Parameters of the query that have a default wherever they are accepted. */
type Defaulted = "limit" | "after";
type WithDefaults<Values> = Omit<Values, Defaulted> & Required<Pick<Values, Defaulted & keyof Values>>;

/** A validated request of an operation. UUIDs are in lower case, and defaults are set. */
export interface RestCall<Of extends TypedOperation, Principal> {
  request: ApiRequest;
  principal: Principal;
  path: Path<Of>;
  query: WithDefaults<Query<Of>>;
  /** Undefined: the operation takes no body, or it was left out where that is allowed. */
  body: Body<Of>;
}

/** Handlers by `operationId`. `Of`: the operations in the generated types of the API. */
export type RestHandlers<Of extends Record<keyof Of, TypedOperation>, Principal> = {
  [Name in keyof Of]: (call: RestCall<Of[Name], Principal>) => Promise<ApiResponse>;
};
