import { describe, expect, test } from "vitest";
import { newToken } from "../../src/accounts/token.ts";
import { bodyBytesOnLambda } from "../../src/http/rest/lambda-limits.ts";
import { limits } from "../../src/v1/upload-server.ts";
import { apiKeyOf } from "../../src/http/middleware.ts";
import { runViewerRequest } from "../integration/front-door/viewer-request.ts";
import { synthesizeFrontDoor } from "./front-door.ts";

const { properties } = synthesizeFrontDoor();
const [{ FunctionCode, FunctionConfig } = {}] = properties("AWS::CloudFront::Function");
const code = String(FunctionCode);
const [{ DistributionConfig } = {}] = properties("AWS::CloudFront::Distribution");
const { token: key } = newToken("ak");
const host = { host: "d111111abcdef8.cloudfront.net" };

/** The selected origin. The request is passed on unchanged. */
function route(method: string, headers: Record<string, string>, uri = "/v1/agents"): string | undefined {
  const { origin, before, returned } = runViewerRequest(code, {
    method,
    uri,
    headers: { ...host, authorization: `Bearer ${key}`, ...headers },
  });
  expect(returned).toEqual(before);
  return origin;
}

/** The function's own response to a request that it passes to no origin. */
function rejection(headers: Record<string, string>, uri = "/v1/agents"): unknown {
  const { origin, returned } = runViewerRequest(code, { method: "POST", uri, headers: { ...host, ...headers } });
  expect(origin).toBeUndefined();
  if (!("statusCode" in returned)) return undefined;
  const { statusCode, headers: answered, body } = returned;
  expect(body.encoding).toBe("text");
  expect(answered["content-type"]).toEqual({ value: "application/json" });
  expect(answered["x-request-id"]?.value).toMatch(/^EXAMPLE/);
  return [statusCode, JSON.parse(body.data), answered["www-authenticate"]?.value].filter((each) => each !== undefined);
}

/** The origin of streams of events with these settings. Undefined: API Gateway. */
function streamsTo(context: object): string | undefined {
  const [{ FunctionCode: deployed } = {}] = synthesizeFrontDoor({ context }).properties("AWS::CloudFront::Function");
  const headers = { ...host, accept: "text/event-stream" };
  return runViewerRequest(String(deployed), { method: "GET", uri: "/ext/v1/runs/x/events", headers }).origin;
}

describe("the viewer-request function", () => {
  test.each([["2"], ["999999"], ["1000000"]])("routes a POST of %s bytes to API Gateway, with any key", (length) => {
    expect(route("POST", { "content-length": length })).toBeUndefined();
    expect(route("POST", { "content-length": length, authorization: "" })).toBeUndefined();
  });

  test("routes by a size that fits Lambda's 6 MiB when each byte takes six characters of the event", () => {
    const [, threshold] = /maxSmallBody = (\d+);/.exec(code) ?? [];
    const envelope = 256 * 1024; // headers and request context
    expect(6 * Number(threshold) + envelope).toBeLessThanOrEqual(6 * 1024 * 1024);
  });

  test.each([["1000001"], ["13981016"], [String(limits.body)], ["x"]])(
    "routes a POST of %s bytes to the upload server",
    (length) => {
      expect(route("POST", { "content-length": length })).toBe("large-bodies");
    },
  );

  test("routes a POST of unknown length to the upload server", () => {
    expect(route("POST", { "transfer-encoding": "chunked" })).toBe("large-bodies");
    expect(route("POST", {})).toBe("large-bodies");
  });

  test.each(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])(
    "routes %s to API Gateway, whatever its content-length",
    (method) => {
      expect(route(method, {}, "/v1/agents/2f4d5c1e-0a3b-4c5d-8e6f-7a8b9c0d1e2f")).toBeUndefined();
      expect(route(method, { "content-length": "60000000" })).toBeUndefined();
    },
  );

  test("routes a GET of events to their server if the client accepts a stream, and nothing else", () => {
    const [events, stream] = ["/ext/v1/runs/2f4d5c1e-0a3b-4c5d-8e6f-7a8b9c0d1e2f/events", "text/event-stream"];
    for (const accept of [stream, "Text/Event-Stream;q=0.9", `application/json, ${stream}`]) {
      expect(route("GET", { accept }, events)).toBe("event-streams");
    }
    for (const accept of ["*/*", "application/json", "text/event-streams", ""]) {
      expect(route("GET", { accept }, events)).toBeUndefined();
    }
    for (const method of ["HEAD", "OPTIONS", "DELETE"]) {
      expect(route(method, { accept: stream }, events)).toBeUndefined();
    }
    for (const uri of [
      "/ext/v1/runs",
      "/ext/v1/runs/x",
      "/ext/v1/runs/x/events/y",
      "/ext/v1/runs/x/y/events",
      "/v1/agents",
    ]) {
      expect(route("GET", { accept: stream }, uri)).toBeUndefined();
    }
  });

  test("routes streams to the only server with Fargate", () => {
    expect(streamsTo({ largeBodies: "fargate" })).toBe("large-bodies");
  });

  test.each([String(limits.body + 1), "60000000", "99999999999999999999"])(
    "rejects a POST of %s bytes, which the upload server does not accept, with 413",
    (length) => {
      const headers = { authorization: `Bearer ${key}`, "content-length": length };
      expect(rejection(headers)).toEqual([413, { detail: "total file size exceeds the allowed limit" }]);
    },
  );

  test("takes the address of MCP with a slash for that without", () => {
    const { returned } = runViewerRequest(code, { method: "POST", uri: "/mcp/", headers: host });
    expect(returned).toMatchObject({ uri: "/mcp" });
  });

  test.each(["/ext/v1/runs", "/ext/v1/runs/2f4d5c1e/input", "/mcp"])(
    "routes a POST of %s to API Gateway if Lambda accepts its body, and rejects it with the way for large files",
    (uri) => {
      expect(route("POST", { "content-length": String(bodyBytesOnLambda) }, uri)).toBeUndefined();
      expect(route("POST", { "transfer-encoding": "chunked" }, uri)).toBeUndefined();
      const detail = expect.stringContaining("POST /ext/v1/uploads") as string;
      const headers = { authorization: `Bearer ${key}`, "content-length": String(bodyBytesOnLambda + 1) };
      expect(rejection(headers, uri)).toEqual([413, { detail, code: "files_too_large" }]);
    },
  );

  const missing = [401, { detail: "Missing API key" }, "Bearer"];
  const invalid = [401, { detail: "Invalid API key" }, "Bearer"];
  test.each([
    [{}, missing],
    [{ authorization: "" }, missing],
    [{ authorization: "Bearer" }, missing],
    [{ authorization: "Bearer " }, missing],
    [{ authorization: `Basic ${key}` }, missing],
    [{ "x-api-key": " " }, missing],
    [{ authorization: "Bearer no-such-key" }, invalid],
    [{ authorization: `Bearer ${key}x` }, invalid],
    [{ "x-api-key": key.slice(0, -1) }, invalid],
    [{ authorization: "Bearer no-such-key", "x-api-key": key }, invalid],
    [{ authorization: `bearer \t${key} ` }, undefined],
    [{ authorization: "Basic dXNlcjpwYXNz", "x-api-key": ` ${key}` }, undefined],
    [{ authorization: `BEARER ${key}`, "x-api-key": "no-such-key" }, undefined],
  ])("checks the key of a large create as the API does: %j", (headers: Record<string, string>, expected) => {
    const inApi = apiKeyOf(headers);
    const ofApi = inApi === undefined ? missing : inApi === key ? undefined : invalid;
    expect(ofApi).toEqual(expected);
    if (expected === undefined) {
      expect(route("POST", { authorization: "", ...headers })).toBe("large-bodies");
    } else {
      expect(rejection({ ...headers, "content-length": "60000000" })).toEqual(expected);
      expect(rejection({ ...headers, "transfer-encoding": "chunked" })).toEqual(expected);
    }
  });

  test("answers 404 for the path of the upload server's behavior", () => {
    const behaviors = (DistributionConfig as { CacheBehaviors: { PathPattern: string; TargetOriginId: string }[] })
      .CacheBehaviors;
    const path = behaviors.find(({ TargetOriginId }) => TargetOriginId === "large-bodies")?.PathPattern;
    expect(rejection({ authorization: `Bearer ${key}` }, path)).toEqual([404, { detail: "Not Found" }]);
  });

  test("uses a runtime with origin selection, selects an existing origin, and fits CloudFront's 10 KB", () => {
    expect(FunctionConfig).toMatchObject({ Runtime: "cloudfront-js-2.0" });
    const { Origins } = DistributionConfig as { Origins: { Id: string }[] };
    expect(Origins.map(({ Id }) => Id)).toContain("large-bodies");
    expect(Buffer.byteLength(code)).toBeLessThan(10 * 1024);
  });
});
