/*
 * The parts of an HTTP API's description. `contract.ts` describes v1 with them, `src/manage/contract/` the management API,
 * and `src/ext/contract/` the extension API.
 * `openapi-document.ts` makes an OpenAPI document of a description.
 */

/**
 * A JSON Schema reference to one of `schemas` in the OpenAPI document.
 * @__NO_SIDE_EFFECTS__ lets bundles leave out unused schemas.
 */
export const reference = <const Name extends string>(name: Name) => ({ $ref: `#/components/schemas/${name}` }) as const;

/** A response header in the document. */
export interface HeaderEntry {
  description: string;
  schema: object;
}

/** A response of an operation. */
export interface ResponseEntry<SchemaName = string, HeaderName = string> {
  description: string;
  /** The possible schemas of a JSON body. Empty: any JSON object, unless there is `media`. */
  bodies: readonly SchemaName[];
  /** Schemas of bodies that are not JSON, by media type. An empty table: the response has no body. */
  media?: Record<string, object>;
  /** Examples of whole bodies, by name. */
  examples?: Record<string, object>;
  /** Headers besides `x-request-id`, which every response has. */
  headers?: readonly HeaderName[];
}

/** A parameter in the path or the query. */
export interface Parameter {
  description: string;
  /** Only for the query: those of paths are always required. */
  required?: true;
  schema: object;
}

/** `path` is a template: `{agent_id}` matches one segment. */
export interface Operation<SchemaName = string, HeaderName = string> {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  /** The last parameter of the path can contain slashes. */
  endsWithPath?: true;
  operationId: string;
  summary: string;
  description: string;
  tag: string;
  /** Whether it requires a credential. */
  authenticated: boolean;
  /** Parameters of the query, by name. */
  query?: Record<string, Parameter>;
  /** Request headers that change what the operation does, by name. All are optional. */
  requestHeaders?: Record<string, Parameter>;
  request?: SchemaName;
  /** Schemas of a body that is not JSON, by media type. */
  requestMedia?: Record<string, object>;
  /** The body can be left out. */
  requestOptional?: boolean;
  /** A field of the body with any JSON, whose numbers keep their text (`parseExact`). */
  exactField?: string;
  responses: Record<number, ResponseEntry<SchemaName, HeaderName>>;
}

/** A whole API. The keys of `schemas`, `headers` and `securitySchemes` are their names in the document. */
export interface ApiDescription {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  securitySchemes: Record<string, object>;
  operations: Record<string, Operation>;
  /** Parameters of paths, by name. */
  pathParameters: Record<string, Parameter>;
  schemas: Record<string, object>;
  headers: Record<string, HeaderEntry>;
  /** Whether errors of several operations are components of the document, which is then a third smaller. */
  sharesErrors?: true;
}
