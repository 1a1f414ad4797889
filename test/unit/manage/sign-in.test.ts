import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { explainAwsErrors } from "../../../bin/console/aws-errors.ts";
import { processToken } from "../../../bin/console/token.ts";
import { newToken } from "../../../src/accounts/token.ts";
import { type ApiResponse, jsonResponse } from "../../../src/http/handler.ts";
import { manageHandlers } from "../../../src/manage/handlers/manage-handlers.ts";
import { bodyBytesOnLambda } from "../../../src/http/rest/lambda-limits.ts";
import { manageResponseLimit } from "../../../src/manage/lambda-limits.ts";
import { type Authenticate, manageRouter } from "../../../src/manage/router.ts";
import { jwtAuthentication } from "../../../src/manage/sign-in/authenticate.ts";
import { type LocalPlatform, openLocalPlatform } from "../../../src/platform/local/open-platform.ts";
import { externalWorkflow } from "../../../src/platform/local/workflow.ts";
import type { Platform } from "../../../src/platform/platform-types.ts";
import { apiFunction } from "../../support/lambda-function.ts";

const dataDir = mkdtempSync(join(tmpdir(), "sign-in-"));
let local: LocalPlatform;
let platform: Platform;
beforeAll(() => {
  local = openLocalPlatform({ dataDir });
  platform = { ...local, workflow: externalWorkflow };
});
afterAll(() => {
  local.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const service = {
  platform: "aws",
  version: "1.2.3",
  sign_in: "jwt",
  stack: "AgentRunService-test",
  bodyBytes: bodyBytesOnLambda,
  serviceUrl: () => null,
} as const;

function request(method: string, path: string, authorization?: string, body = "") {
  return {
    id: "r",
    method,
    path: `/manage/v1${path}`,
    query: new URLSearchParams(),
    parameters: {},
    headers: { "content-type": "application/json", ...(authorization !== undefined && { authorization }) },
    parseBody: <Value>(parse: (text: string) => Promise<Value>) => parse(body),
  };
}

/** Calls the API over this platform. */
async function call(
  authenticate: Authenticate,
  method: string,
  path: string,
  { authorization, body, over = platform }: { authorization?: string; body?: object; over?: Platform } = {},
) {
  const api = manageRouter(manageHandlers({ ...over, now: Date.now, service }), authenticate, over);
  const { status, body: text } = await api(request(method, path, authorization, JSON.stringify(body)));
  return { status, body: JSON.parse(String(text)) as Record<string, unknown> };
}

const bearer = (claims: object): string =>
  `Bearer e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;
const jwt = jwtAuthentication({ claim: "groups", operators: ["operators"], viewers: ["viewers"] });
const operator = bearer({ sub: "1", email: "ada@example.com", groups: ["operators"] });
const viewer = bearer({ sub: "2", email: "grace@example.com", groups: ["viewers"] });
const newOrganization = { body: { name: "Test" } };

test("the claims of a token decide about the role", async () => {
  expect(await call(jwt, "GET", "/me", { authorization: operator })).toMatchObject({
    status: 200,
    body: {
      name: "ada@example.com",
      role: "operator",
      sign_in: "jwt",
      stack: "AgentRunService-test",
      limits: { file_bytes: 2_310_144, body_bytes: 3_145_728 }, // 2.2 MiB of files
    },
  });
  expect(await call(jwt, "POST", "/organizations", { authorization: operator, ...newOrganization })).toMatchObject({
    status: 201,
  });
  expect(await call(jwt, "GET", "/operators", { authorization: viewer })).toMatchObject({ status: 200 });
  expect(await call(jwt, "POST", "/organizations", { authorization: viewer, ...newOrganization })).toMatchObject({
    status: 403,
    body: { code: "forbidden" },
  });
});

test("the audit names the person with the provider's id", async () => {
  const { body } = await call(jwt, "GET", "/audit", { authorization: viewer });
  expect(body["data"]).toMatchObject([{ action: "org.create", actor: "ada@example.com (1)" }]);
});

test("a person without a role is refused, also for reading", async () => {
  const authorization = bearer({ sub: "3", email: "eve@example.com", groups: ["staff"] });
  expect(await call(jwt, "GET", "/me", { authorization })).toEqual({
    status: 403,
    body: { detail: expect.stringContaining("eve@example.com (3) has no role") as string, code: "forbidden" },
  });
});

test("a request without a token of the sign-in is refused", async () => {
  for (const authorization of [undefined, `Bearer ${newToken("ao").token}`, "Bearer e30"]) {
    expect(await call(jwt, "GET", "/me", authorization === undefined ? {} : { authorization })).toMatchObject({
      status: 401,
      body: { code: "key_missing" },
    });
  }
});

test("npm run console accepts the token of its process only", async () => {
  const arn = "arn:aws:sts::111122223333:assumed-role/Admin/ada";
  const { token, authenticate } = processToken({ actor: arn, name: "ada", role: "viewer" });
  expect(await call(authenticate, "GET", "/me", { authorization: `Bearer ${token}` })).toMatchObject({
    status: 200,
    body: { name: "ada", role: "viewer" },
  });
  const others = [newToken("ao").token, processToken({ actor: arn, name: "ada", role: "viewer" }).token, "ak_1", ""];
  for (const other of others) {
    expect(await call(authenticate, "GET", "/me", { authorization: `Bearer ${other}` })).toMatchObject({ status: 401 });
  }
});

test.each([
  ["ExpiredTokenException", 503, "store_unavailable", /Run aws sso login/],
  ["CredentialsProviderError", 503, "store_unavailable", /Run aws sso login/],
  ["AccessDeniedException", 403, "forbidden", /not authorized.*OperatorPolicyArn/],
])("npm run console explains %s, and continues afterwards", async (name, status, code, detail) => {
  let fails = true;
  const over: Platform = explainAwsErrors({
    ...platform,
    accounts: {
      ...platform.accounts,
      listOperators: async () => {
        if (fails) throw Object.assign(new Error("not authorized"), { name });
        return [];
      },
    },
  });
  const { token, authenticate } = processToken({ actor: "a", name: "a", role: "viewer" });
  const authorization = `Bearer ${token}`;
  expect(await call(authenticate, "GET", "/operators", { authorization, over })).toEqual({
    status,
    body: { code, detail: expect.stringMatching(detail) as string },
  });
  fails = false;
  expect(await call(authenticate, "GET", "/operators", { authorization, over })).toMatchObject({ status: 200 });
});

const ask = async (path: string, response: ApiResponse) => {
  const handle = apiFunction(async () => response, manageResponseLimit("AgentRunService-test"));
  const requestContext = { requestId: "r", http: { method: "GET" } };
  const { statusCode, body } = await handle({ headers: {}, rawPath: path, isBase64Encoded: false, requestContext });
  return { status: statusCode, body: JSON.parse(String(body)) as unknown };
};

test("a response that Lambda would not return names the command for it", async () => {
  const run = "6a7cf6a5-5a40-4f9e-9b4e-9a0b1c2d3e4f";
  const file = { status: 200, headers: {}, body: Buffer.alloc(4_800_000, "x") };
  expect(await ask(`/runs/${run}/files/$(reboot).csv`, file)).toEqual({
    status: 413,
    body: {
      code: "response_too_large",
      detail:
        "The response is larger than AWS Lambda allows (6 MB). Download the file with: " +
        `npm run -s admin -- --stack AgentRunService-test run file ${run} NAME`,
    },
  });
  expect(await ask(`/runs/${run}/events`, jsonResponse(200, { data: "x".repeat(6_500_000) }))).toMatchObject({
    status: 413,
    body: { detail: expect.stringContaining("limit and max_text") as string },
  });
});
