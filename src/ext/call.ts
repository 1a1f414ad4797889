import type { Principal } from "../accounts/authenticate.ts";
import type { RestCall, RestHandlers } from "../http/rest/call.ts";
import type { OperationName } from "./contract/operations/index.ts";
import type { components, operations } from "./generated/types.d.ts";

/** The types of the contract, by name. */
export type Schemas = components["schemas"];

/** A validated request of a client with an agent's key. */
export type Call<Name extends OperationName> = RestCall<operations[Name], Principal>;

/** Handlers by `operationId`. An operation without one is a 404. */
export type ExtHandlers = Partial<RestHandlers<operations, Principal>>;
