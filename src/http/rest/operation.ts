import type { ErrorEntry } from "../../error-codes.ts";
import type { Operation, Parameter, ResponseEntry } from "../description.ts";
import type { SharedErrorCode } from "./errors.ts";

/** Method and path. */
export type At = `${Operation["method"]} /${string}`;
/** Parameters of a query, by name. */
export type Queries = Record<string, Parameter>;

/**
 * An operation as a contract writes it. `Code`: of the errors of its API. The other types are those of the values, from which
 * `RestCall` infers the type of a call.
 */
export interface OperationEntry<
  Code extends string,
  Place extends At = At,
  Query extends Queries = Queries,
  Request extends string = string,
  Optional extends true = true,
  Body extends string = string,
> {
  /** Method and path, without the prefix of the API. */
  at: Place;
  /** The last parameter of the path can contain slashes. */
  endsWithPath?: true;
  tag: string;
  summary: string;
  description: string;
  /** Default: true. */
  authenticated?: false;
  /** A token of the run that the path names is accepted, too. */
  acceptsRunToken?: true;
  query?: Query;
  requestHeaders?: Record<string, Parameter>;
  /** Name of the schema of the body. */
  request?: Request;
  requestOptional?: Optional;
  exactField?: string;
  /** Schemas of a body that is not JSON, by media type. */
  requestMedia?: Record<string, object>;
  /** The response when all goes well. Default of `status`: 200. */
  success: { status?: number } & Omit<ResponseEntry, "bodies"> & { body?: Body };
  /** Another response when all goes well, by status. */
  alternative?: Record<number, ResponseEntry>;
  /** Errors besides those that each operation has. */
  errors?: readonly Code[];
}

/** A complete operation, with the types of what decides the type of its calls. */
export interface TypedOperation<
  Path extends string = string,
  Query extends Queries = Queries,
  Request extends string = string,
  Optional extends true = true,
  Body extends string = string,
> extends Operation {
  path: Path;
  /** The status of a response when all goes well. */
  status: number;
  /** Name of the schema of its JSON. */
  body?: Body;
  query?: Query;
  request?: Request;
  requestOptional?: Optional;
  acceptsRunToken?: true;
}

/** The path of `METHOD /path` with the prefix of its API. */
export type PathAt<Base extends string, Place extends At> = Place extends `${string} ${infer Path}`
  ? `${Base}${Path}`
  : never;

/** What the operations of an API have in common. */
interface CommonParts<Code extends string, Base extends string> {
  /** The prefix of all paths. */
  basePath: Base;
  errors: Record<Code, ErrorEntry>;
  /** Errors of each operation. */
  errorsEverywhere: Code[];
  /** Errors of each operation that takes a credential. */
  credentialErrors: Code[];
  /** Errors of each operation with these parameters in its path or query. */
  notFound: Record<string, Code>;
  /** Errors of each operation that does not accept the token of a run. */
  runTokenErrors?: Code[];
}

/** Returns a function that completes an operation with the errors that each operation has. */
export function operationsOf<Code extends string, const Base extends string>({
  basePath,
  errors,
  errorsEverywhere,
  credentialErrors,
  notFound,
  runTokenErrors = [],
}: CommonParts<Code | SharedErrorCode, Base>) {
  return <
    Place extends At,
    const Query extends Queries = never,
    Request extends string = never,
    Optional extends true = never,
    Body extends string = never,
  >(
    operationId: string,
    entry: OperationEntry<Code | SharedErrorCode, Place, Query, Request, Optional, Body>,
  ): TypedOperation<PathAt<Base, Place>, Query, Request, Optional, Body> => {
    const { at, success, alternative, errors: own = [], authenticated = true, ...more } = entry;
    const [method, path] = at.split(" ") as [Operation["method"], string];
    const { status = 200, body, ...response } = success;
    const codes = [...(authenticated ? credentialErrors : []), ...errorsEverywhere];
    const named = Object.entries(notFound).filter(([name]) => path.includes(`{${name}}`) || name in (more.query ?? {}));
    if (authenticated && !more.acceptsRunToken) codes.push(...runTokenErrors);
    if (more.request) codes.push("files_too_large", "too_many_bytes", "storage_full");
    if (more.requestMedia) codes.push("storage_full");
    if (authenticated) codes.push("too_many_requests", "store_unavailable");
    return {
      ...more,
      operationId,
      method,
      path: `${basePath}${path}` as PathAt<Base, Place>,
      authenticated,
      status,
      ...(body !== undefined && { body }),
      responses: {
        [status]: { ...response, bodies: body === undefined ? [] : [body] },
        ...alternative,
        ...errorResponses(errors, [...new Set([...codes, ...named.map(([, code]) => code), ...own])]),
      },
    };
  };
}

function errorResponses<Code extends string>(errors: Record<Code, ErrorEntry>, codes: Code[]): Operation["responses"] {
  const byStatus = Map.groupBy(codes, (code) => errors[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, all]): [number, ResponseEntry] => {
      const examples = all.map((code) => [code, { value: { detail: exampleDetail(code, errors[code]), code } }]);
      const names: string[] = all;
      return [
        status,
        {
          description: all.map((code) => `\`${code}\`: ${errors[code].when}`).join(" "),
          bodies: ["Error"],
          examples: Object.fromEntries(examples) as Record<string, object>,
          ...(status === 401 && { headers: ["WWW-Authenticate"] }),
          ...(status === 416 && { headers: ["Content-Range"] }),
          ...((status === 429 || names.includes("storage_full")) && { headers: ["Retry-After"] }),
        },
      ];
    }),
  );
}

function exampleDetail(code: string, { detail }: ErrorEntry): string | object[] {
  return code === "invalid_request" ? [{ type: "missing", loc: ["body", "name"], msg: detail, input: {} }] : detail;
}
