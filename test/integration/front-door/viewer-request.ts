import { runInNewContext } from "node:vm";

/** A request as CloudFront describes it to a function; names of headers are lower case. */
export interface ViewerRequest {
  method: string;
  uri: string;
  querystring: Record<string, { value: string }>;
  headers: Record<string, { value: string }>;
  cookies: Record<string, { value: string }>;
}

/** A response that the function makes instead of passing the request on. */
export interface ViewerResponse {
  statusCode: number;
  headers: Record<string, { value: string }>;
  body: { encoding: "text"; data: string };
}

/** Runs a viewer-request function's code as it is deployed. `origin`: the id of the origin that it chose, if any. */
export function runViewerRequest(
  code: string,
  { method, uri, headers }: { method: string; uri: string; headers: Record<string, string> },
): { origin: string | undefined; before: ViewerRequest; returned: ViewerRequest | ViewerResponse } {
  const values = Object.entries(headers).map(([name, value]): [string, { value: string }] => [name, { value }]);
  const request: ViewerRequest = { method, uri, querystring: {}, headers: Object.fromEntries(values), cookies: {} };
  const before = structuredClone(request);
  const event = {
    version: "1.0",
    context: {
      distributionDomainName: "d111111abcdef8.cloudfront.net",
      distributionId: "EDFDVBD6EXAMPLE",
      eventType: "viewer-request",
      requestId: "EXAMPLEntjQpEXAMPLE_SG5Z-EXAMPLEPmPfEXAMPLEu3EqEXAMPLE==",
    },
    viewer: { ip: "198.51.100.11" },
    request,
  };
  let origin: string | undefined;
  const cf = {
    selectRequestOriginById(id: string) {
      origin = id;
    },
  };
  // The module is there in CloudFront only, under the name that the first line gives it.
  const [imported, ...rest] = code.split("\n");
  if (imported !== 'import cf from "cloudfront";') throw new Error(`the first line is ${imported}`);
  const returned = runInNewContext(`"use strict"; ${rest.join("\n")}; handler(event)`, { cf, event }) as
    | ViewerRequest
    | ViewerResponse;
  return { origin, before, returned };
}
