import type { Operation, Parameter, ResponseEntry } from "../../../api/description.ts";
import { type ErrorCode, errors } from "../errors.ts";

/** What a caller may do. A viewer may only read. */
export type Role = "operator" | "viewer";

/** An operation of the management API. */
export interface ManageOperation extends Operation {
  /** The least role that may call it. */
  role: Role;
}

/** An operation as the files of this folder write it. */
interface OperationEntry {
  /** Method and path, without the prefix of the API. */
  at: `${Operation["method"]} /${string}`;
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
  /** The response when all goes well. Default of `status`: 200. */
  success: { status?: number } & Omit<ResponseEntry, "bodies"> & { body?: string };
  /** Errors besides those that each operation has. */
  errors?: ErrorCode[];
}

export const basePath = "/manage/v1";

/** Completes an operation with its role and with the errors that each operation has. */
export function operation(operationId: string, entry: OperationEntry): ManageOperation {
  const { at, success, errors: own = [], authenticated = true, description, ...more } = entry;
  const [method, path] = at.split(" ") as [Operation["method"], string];
  const role = method === "GET" ? "viewer" : "operator";
  const { status = 200, body, ...response } = success;
  const codes: ErrorCode[] = authenticated ? ["key_missing", "key_invalid", "forbidden"] : [];
  codes.push("invalid_request"); // every operation rejects unknown query parameters
  if (more.request) codes.push("files_too_large", "body_timeout", "storage_full");
  if (authenticated) codes.push("store_unavailable");
  return {
    ...more,
    operationId,
    method,
    path: `${basePath}${path}`,
    role,
    authenticated,
    description: role === "operator" ? `${description} Requires the role \`operator\`.` : description,
    responses: {
      [status]: { ...response, bodies: body === undefined ? [] : [body] },
      ...errorResponses([...codes, ...own]),
    },
  };
}

function errorResponses(codes: ErrorCode[]): Operation["responses"] {
  const byStatus = Map.groupBy(codes, (code) => errors[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, all]): [number, ResponseEntry] => {
      const examples = all.map((code) => [code, { value: { detail: exampleDetail(code), code } }]);
      return [
        status,
        {
          description: all.map((code) => `\`${code}\`: ${errors[code].when}`).join(" "),
          bodies: ["Error"],
          examples: Object.fromEntries(examples) as Record<string, object>,
          ...(status === 401 && { headers: ["WWW-Authenticate"] }),
          ...((status === 429 || all.includes("storage_full")) && { headers: ["Retry-After"] }),
        },
      ];
    }),
  );
}

function exampleDetail(code: ErrorCode): string | object[] {
  const { detail } = errors[code];
  return code === "invalid_request" ? [{ type: "missing", loc: ["body", "name"], msg: detail, input: {} }] : detail;
}
