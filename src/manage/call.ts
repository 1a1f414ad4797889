import type { OperatorPrincipal } from "../accounts/operators.ts";
import type { ApiRequest, ApiResponse } from "../api/handlers/handler.ts";
import type { OperationName } from "./contract/operations/index.ts";
import type { components, operations } from "./generated/types.d.ts";

/** The types of the contract, by name. */
export type Schemas = components["schemas"];

type ParametersOf<Name extends OperationName> = operations[Name]["parameters"];
type Path<Name extends OperationName> = ParametersOf<Name> extends { path: infer Values } ? Values : object;
type Query<Name extends OperationName> =
  ParametersOf<Name> extends { query?: infer Values } ? NonNullable<Values> : object;
type Body<Name extends OperationName> = operations[Name] extends { requestBody: Json<infer Value> }
  ? Value
  : operations[Name] extends { requestBody?: Json<infer Value> }
    ? Value | undefined
    : undefined;
interface Json<Value> {
  content: { "application/json": Value };
}

/** Parameters of the query that have a default wherever they are accepted. */
type Defaulted = "limit" | "after";
type WithDefaults<Values> = Omit<Values, Defaulted> & Required<Pick<Values, Defaulted & keyof Values>>;

/** A validated request. UUIDs are in lower case, and defaults are set. */
export interface Call<Name extends OperationName> {
  request: ApiRequest;
  operator: OperatorPrincipal;
  path: Path<Name>;
  query: WithDefaults<Query<Name>>;
  /** Undefined: the operation takes no body, or it was left out where that is allowed. */
  body: Body<Name>;
}

export type ManageHandler<Name extends OperationName> = (call: Call<Name>) => Promise<ApiResponse>;

/** Handlers by `operationId`. */
export type ManageHandlers = { [Name in OperationName]?: ManageHandler<Name> };

/** The handlers of all operations. */
export type AllHandlers = Required<ManageHandlers>;
