import { expect, test } from "vitest";
import { manageHandlers } from "../../../src/manage/handlers/manage-handlers.ts";
import { manageRouter } from "../../../src/manage/router.ts";
import { awsSecrets } from "../../../src/platform/aws/secrets.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";

test("a stack makes no operator tokens: nothing would accept them", async () => {
  const stores = fakeAwsStores();
  const workflow = { start: async () => {}, stop: async () => {} };
  const service = {
    platform: "aws",
    version: "0",
    sign_in: "aws",
    stack: "AgentRunService-prod",
    bodyBytes: 1,
    serviceUrl: () => null,
  } as const;
  const secrets = awsSecrets(() => Promise.reject(new Error("not used")), "agent-run-service/prod/");
  const handlers = manageHandlers({ ...stores, ...secrets, workflow, now: Date.now, service });
  const actor = "arn:aws:sts::1:assumed-role/Operators/mira";
  const handle = manageRouter(handlers, async () => ({ actor, name: "mira", role: "operator" }), stores);
  const call = async (method: string, path: string, body = "") => {
    const response = await handle({
      id: "r",
      method,
      path,
      query: new URLSearchParams(),
      parameters: {},
      headers: { "content-type": "application/json" },
      parseBody: (parse) => parse(body),
    });
    return { status: response.status, body: JSON.parse(String(response.body)) as unknown };
  };
  expect(await call("POST", "/manage/v1/operators", '{"name":"noor","role":"viewer"}')).toEqual({
    status: 422,
    body: { detail: expect.stringContaining("it accepts no operator tokens"), code: "invalid_argument" },
  });
  expect(await call("GET", "/manage/v1/operators")).toEqual({ status: 200, body: { data: [], next: null } });
  expect(await call("GET", "/manage/v1/me")).toMatchObject({
    body: { secrets: { accepted: null, hint: expect.stringContaining("agent-run-service/prod/ORGANIZATION_ID/NAME") } },
  });
});
