import type { Parameter } from "../description.ts";
import type { ApiRequest, ApiResponse } from "../handler.ts";
import type { TypedOperation } from "./operation.ts";
import type { Static } from "../../json-schema.ts";

/** What the types of an API's calls are inferred from. */
interface TypedApi {
  /** By `operationId`. */
  operations: Record<string, TypedOperation>;
  pathParameters: Record<string, Parameter>;
  /** The types of its schemas, by name. */
  schemas: object;
  principal: unknown;
}

/** A validated request of an operation. UUIDs are in lower case, and defaults are set. */
export interface RestCall<Api extends TypedApi, Name extends keyof Api["operations"]> {
  request: ApiRequest;
  principal: Api["principal"];
  /** The principal as it is now, for a request that lasts. Looks every 3 s. Rejects when the credential has ended. */
  caller: () => Promise<Api["principal"]>;
  path: Path<Api["operations"][Name], Api["pathParameters"]>;
  query: Query<Api["operations"][Name]>;
  /** Undefined: the operation takes no body, or it was left out where that is allowed. */
  body: Body<Api["operations"][Name], Api["schemas"]>;
}

/** Handlers by `operationId`. */
export type RestHandlers<Api extends TypedApi> = {
  [Name in keyof Api["operations"]]: (
    call: RestCall<Api, Name>,
  ) => Promise<HandlerAnswer<JsonOf<Api["operations"][Name], Api["schemas"]>>>;
};

/** What a handler returns: the JSON of the contract, JSON with headers, or a whole response. JSON gets the status of the operation. */
type HandlerAnswer<Json> = Json | WithHeaders<Json> | ApiResponse;

/** JSON with headers of the response. */
export class WithHeaders<Json> {
  readonly json: Json;
  readonly headers: Record<string, string>;

  constructor(json: Json, headers: Record<string, string>) {
    this.json = json;
    this.headers = headers;
  }
}

type JsonOf<Of extends TypedOperation, Schemas> = [NonNullable<Of["body"]>] extends [never]
  ? void
  : Schemas[NonNullable<Of["body"]> & keyof Schemas];

type Path<Of extends TypedOperation, Parameters extends Record<string, Parameter>> = {
  [Name in NamesIn<Of["path"]> & keyof Parameters]: Static<Parameters[Name]["schema"], unknown>;
};

/** The names of the parameters in the template of a path. */
type NamesIn<Template> = Template extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The validators see a query as an object with its parameters. */
type Query<Of extends TypedOperation> = [NonNullable<Of["query"]>] extends [never]
  ? object
  : Static<QuerySchema<NonNullable<Of["query"]>>, unknown>;

interface QuerySchema<Parameters extends Record<string, Parameter>> {
  type: "object";
  properties: { [Name in keyof Parameters]: Parameters[Name]["schema"] };
  required: {
    [Name in keyof Parameters]: Parameters[Name] extends { required: true } ? Name : never;
  }[keyof Parameters][];
}

type Body<Of extends TypedOperation, Schemas> = [NonNullable<Of["request"]>] extends [never]
  ? undefined
  : Schemas[NonNullable<Of["request"]> & keyof Schemas] | (Of extends { requestOptional?: never } ? never : undefined);
