import type { ErrorEntry } from "../../error-codes.ts";
import type { Operation, Parameter, ResponseEntry } from "../description.ts";
import type { SharedErrorCode } from "./errors.ts";

/** An operation as a contract writes it. `Code`: of the errors of its API. */
export interface OperationEntry<Code extends string> {
  /** Method and path, without the prefix of the API. */
  at: `${Operation["method"]} /${string}`;
  /** The last parameter of the path can contain slashes. */
  endsWithPath?: true;
  tag: string;
  summary: string;
  description: string;
  /** Default: true. */
  authenticated?: false;
  query?: Record<string, Parameter>;
  requestHeaders?: Record<string, Parameter>;
  /** Name of the schema of the body. */
  request?: string;
  requestOptional?: true;
  /** Schemas of a body that is not JSON, by media type. */
  requestMedia?: Record<string, object>;
  /** The response when all goes well. Default of `status`: 200. */
  success: { status?: number } & Omit<ResponseEntry, "bodies"> & { body?: string };
  /** Another response when all goes well, by status. */
  alternative?: Record<number, ResponseEntry>;
  /** Errors besides those that each operation has. */
  errors?: Code[];
}

/** What the operations of an API have in common. */
interface CommonParts<Code extends string> {
  /** The prefix of all paths. */
  basePath: string;
  errors: Record<Code, ErrorEntry>;
  /** Errors of each operation that takes a credential. */
  credentialErrors: Code[];
}

/** Returns a function that completes an operation with the errors that each operation has. */
export function operationsOf<Code extends string>({
  basePath,
  errors,
  credentialErrors,
}: CommonParts<Code | SharedErrorCode>) {
  return (operationId: string, entry: OperationEntry<Code | SharedErrorCode>): Operation => {
    const { at, success, alternative, errors: own = [], authenticated = true, ...more } = entry;
    const [method, path] = at.split(" ") as [Operation["method"], string];
    const { status = 200, body, ...response } = success;
    const codes = authenticated ? [...credentialErrors] : [];
    codes.push("invalid_request"); // every operation rejects unknown query parameters
    if (more.request) codes.push("files_too_large", "body_timeout", "too_many_bytes", "storage_full");
    if (more.requestMedia) codes.push("body_timeout", "storage_full");
    if (authenticated) codes.push("too_many_requests", "store_unavailable");
    return {
      ...more,
      operationId,
      method,
      path: `${basePath}${path}`,
      authenticated,
      responses: {
        [status]: { ...response, bodies: body === undefined ? [] : [body] },
        ...alternative,
        ...errorResponses(errors, [...codes, ...own]),
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
          ...((status === 429 || names.includes("storage_full")) && { headers: ["Retry-After"] }),
        },
      ];
    }),
  );
}

function exampleDetail(code: string, { detail }: ErrorEntry): string | object[] {
  return code === "invalid_request" ? [{ type: "missing", loc: ["body", "name"], msg: detail, input: {} }] : detail;
}
