import { describe, expect, test } from "vitest";
import { runViewerRequest } from "../integration/front-door/viewer-request.ts";
import { synthesizeFrontDoor } from "./front-door.ts";

const { properties } = synthesizeFrontDoor();
const [{ FunctionCode, FunctionConfig } = {}] = properties("AWS::CloudFront::Function");
const code = String(FunctionCode);
const [{ DistributionConfig } = {}] = properties("AWS::CloudFront::Distribution");

function route(method: string, headers: Record<string, string>, uri = "/v1/agents"): string | undefined {
  const all = { host: "d111111abcdef8.cloudfront.net", ...headers };
  const { origin, before, returned } = runViewerRequest(code, { method, uri, headers: all });
  expect(returned).toEqual(before);
  return origin;
}

describe("the viewer-request function", () => {
  test.each([["2"], ["2999999"], ["3000000"]])("routes a POST of %s bytes to API Gateway", (length) => {
    expect(route("POST", { "content-length": length })).toBeUndefined();
  });

  test.each([["3000001"], ["13981016"], ["60000000"], ["99999999999999999999"], ["x"]])(
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

  test("uses a runtime with origin selection, selects an existing origin, and fits CloudFront's 10 KB", () => {
    expect(FunctionConfig).toMatchObject({ Runtime: "cloudfront-js-2.0" });
    const { Origins } = DistributionConfig as { Origins: { Id: string }[] };
    expect(Origins.map(({ Id }) => Id)).toContain("large-bodies");
    expect(Buffer.byteLength(code)).toBeLessThan(10 * 1024);
  });
});
