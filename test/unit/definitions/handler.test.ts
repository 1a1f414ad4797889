import type { CloudFormationCustomResourceEvent } from "aws-lambda";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { resourceTypes } from "../../../src/definitions/types.ts";
import { logging } from "../../../src/log.ts";
import { awsAccounts } from "../../../src/platform/aws/accounts.ts";
import { documentClient } from "../../../src/platform/aws/sdk/clients.ts";
import { type FakeAwsEndpoint, fakeAwsEndpoint } from "../../support/fake-aws/endpoint.ts";
import { httpServer } from "../../support/http-server.ts";

// The custom resources of stacks, through the exported handler of their function over stores in memory.

interface Response {
  Status: "SUCCESS" | "FAILED";
  PhysicalResourceId: string;
  Reason?: string;
}

type Kind = keyof typeof resourceTypes;

const secretArn = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:Key";
const stackId = "arn:aws:cloudformation:eu-central-1:111122223333:stack/Shop/1";
const credentials = { accessKeyId: "a", secretAccessKey: "s" };

const secrets: Record<string, string> = { [secretArn]: "generated" };
const responses: Response[] = [];
let aws: FakeAwsEndpoint;
let cloudFormation: Awaited<ReturnType<typeof httpServer>>;
let handler: (event: CloudFormationCustomResourceEvent) => Promise<void>;
let accounts: ReturnType<typeof awsAccounts>;

beforeAll(async () => {
  aws = await fakeAwsEndpoint(secrets);
  cloudFormation = await httpServer((request, response) => {
    void text(request).then((body) => {
      responses.push(JSON.parse(body) as Response);
      response.end();
    });
  });
  const environment = {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL: aws.endpoint,
    TABLE_NAME: "table",
    SECRET_PREFIX: "agent-run-service/prod/",
    RETENTION_DAYS: "90",
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  ({ handler } = await import("../../../lambdas/definitions.ts"));
  accounts = awsAccounts({
    documents: documentClient({ region: "eu-central-1", credentials, endpoint: aws.endpoint }),
    table: "table",
  });
  logging.level = "off";
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([aws.close(), cloudFormation.close()]);
});
beforeEach(() => void (aws.calls.length = 0));

/** Sends an event as CloudFormation does, and resolves with the response. `id`, `former`: of an update or a deletion. */
async function send(
  RequestType: "Create" | "Update" | "Delete",
  kind: Kind,
  properties: object,
  { id, former }: { id?: string; former?: object } = {},
): Promise<Response> {
  const shared = { ServiceToken: "arn:function", ServiceTimeout: "300" };
  await handler({
    RequestType,
    ResourceType: resourceTypes[kind],
    ResponseURL: cloudFormation.url,
    StackId: stackId,
    RequestId: "1",
    LogicalResourceId: "Support",
    ServiceToken: shared.ServiceToken,
    ResourceProperties: { ...shared, ...properties },
    ...(id !== undefined && { PhysicalResourceId: id }),
    ...(former && { OldResourceProperties: { ...shared, ...former } }),
  } as CloudFormationCustomResourceEvent);
  const response = responses.pop();
  if (!response) throw new Error("the handler did not respond");
  return response;
}

async function created(kind: Kind, properties: object): Promise<string> {
  const { Status, PhysicalResourceId, Reason } = await send("Create", kind, properties);
  expect([Status, Reason]).toEqual(["SUCCESS", undefined]);
  return PhysicalResourceId;
}

const organization = (more: object = {}) =>
  created("organization", { Name: "Acme", Model: { provider: "demo" }, ...more });
const fileOf = (more: object = {}) => JSON.stringify({ name: "Support", instructions: "Help.", ...more });
const writes = () => aws.calls.filter(({ operation }) => /^(Put|Update|TransactWrite)/.test(operation)).length;

test("an organization, its agent and a key are created, and the key is in the secret of the stack only", async () => {
  const organizationId = await organization();
  expect(await accounts.findOrganization(organizationId)).toMatchObject({ name: "Acme", model: { provider: "demo" } });
  const id = await created("agent", { OrganizationId: organizationId, Definition: fileOf() });
  expect(await accounts.findAgent(id)).toMatchObject({ organizationId, name: "Support", status: "active", version: 1 });
  const hash = await created("api_key", { AgentIds: [id], Name: "Shop", SecretArn: secretArn });
  expect(secrets[secretArn]).toMatch(/^ak_/);
  expect(await accounts.findKey(hash)).toMatchObject({ agentId: id, name: "Shop", enabled: true });
  expect(hash).not.toBe(secrets[secretArn]);
  const audit = await accounts.listAudit({ since: 0, limit: 10 });
  expect(new Set(audit.map(({ actor }) => actor))).toEqual(new Set([stackId]));
});

test("another definition is a new version, and an unchanged one changes nothing", async () => {
  const properties = { OrganizationId: await organization(), Definition: fileOf() };
  const id = await created("agent", properties);
  const changed = { ...properties, Definition: fileOf({ instructions: "Help kindly." }) };
  const updated = await send("Update", "agent", changed, { id, former: properties });
  expect(updated).toMatchObject({ Status: "SUCCESS", PhysicalResourceId: id });
  expect(await accounts.findAgent(id)).toMatchObject({ instructions: "Help kindly.", version: 2 });
  aws.calls.length = 0;
  const same = { ...changed, Definition: JSON.stringify(JSON.parse(changed.Definition), null, 2) };
  expect((await send("Update", "agent", same, { id, former: changed })).PhysicalResourceId).toBe(id);
  expect(writes()).toBe(0);
  const owner = { Name: "Acme", Model: { provider: "demo" } };
  const { PhysicalResourceId } = await send("Update", "organization", owner, {
    id: properties.OrganizationId,
    former: owner,
  });
  expect(PhysicalResourceId).toBe(properties.OrganizationId);
  const key = { AgentIds: [id], SecretArn: secretArn };
  const hash = await created("api_key", key);
  aws.calls.length = 0;
  expect((await send("Update", "api_key", key, { id: hash, former: key })).PhysicalResourceId).toBe(hash);
  expect(writes()).toBe(0);
});

test("a model is replaced, and a name is not", async () => {
  const former = { Name: "Acme", Model: { provider: "demo" } };
  const id = await organization();
  const Model = { provider: "anthropic", model: "claude", secret: "secretsmanager:model-key", idleSeconds: "60" };
  expect(await send("Update", "organization", { ...former, Model }, { id, former })).toMatchObject({
    Status: "SUCCESS",
  });
  expect(await accounts.findOrganization(id)).toMatchObject({ model: { provider: "anthropic", idleSeconds: 60 } });
  const renamed = await send("Update", "organization", { Name: "Others" }, { id, former });
  expect(renamed.Status).toBe("FAILED");
  expect(renamed.Reason).toBe(
    `the name is "Others", and organization ${id} has the name "Acme"; a name cannot be changed: keep it, or define another ` +
      "organization with another construct id",
  );
});

test("the deletion archives an agent, disables a key and leaves an organization", async () => {
  const organizationId = await organization();
  const agent = { OrganizationId: organizationId, Definition: fileOf() };
  const id = await created("agent", agent);
  const key = { AgentIds: [id], SecretArn: secretArn };
  const hash = await created("api_key", key);
  for (const [kind, properties, of] of [
    ["api_key", key, hash],
    ["agent", agent, id],
    ["organization", { Name: "Acme" }, organizationId],
  ] as const) {
    for (let time = 0; time < 2; time++)
      expect((await send("Delete", kind, properties, { id: of })).Status).toBe("SUCCESS");
  }
  expect(await accounts.findKey(hash)).toMatchObject({ enabled: false });
  expect(await accounts.findAgent(id)).toMatchObject({ status: "archived" });
  expect(await accounts.findOrganization(organizationId)).toMatchObject({ name: "Acme" });
  expect((await send("Delete", "agent", agent, { id: "gone" })).Status).toBe("SUCCESS");
});

test("an agent of another organization and a changed key are new ones, and CloudFormation deletes the former ones", async () => {
  const agent = { OrganizationId: await organization(), Definition: fileOf() };
  const id = await created("agent", agent);
  const moved = { ...agent, OrganizationId: await organization() };
  const next = await send("Update", "agent", moved, { id, former: agent });
  expect(next.PhysicalResourceId).not.toBe(id);
  expect(await accounts.findAgent(next.PhysicalResourceId)).toMatchObject({ organizationId: moved.OrganizationId });
  const key = { AgentIds: [id], SecretArn: secretArn };
  const hash = await created("api_key", key);
  const value = secrets[secretArn];
  const renewed = await send("Update", "api_key", { ...key, Name: "New" }, { id: hash, former: key });
  expect(renewed.PhysicalResourceId).not.toBe(hash);
  expect(secrets[secretArn]).not.toBe(value);
  await send("Delete", "api_key", key, { id: hash });
  expect(await accounts.findKey(hash)).toMatchObject({ enabled: false });
  expect(await accounts.findKey(renewed.PhysicalResourceId)).toMatchObject({ enabled: true });
});

test.each([
  ["a field that is missing", { instructions: undefined }, "instructions is missing"],
  ["an unknown field", { model_name: "m" }, "model_name is not a field of an agent file"],
  ["keepDays", { keepDays: 5 }, "remove keepDays"],
])("a definition with %s fails with its problem, and the rollback deletes nothing", async (_, more, reason) => {
  const properties = { OrganizationId: await organization(), Definition: fileOf(more) };
  const { Status, Reason, PhysicalResourceId } = await send("Create", "agent", properties);
  expect(Status).toBe("FAILED");
  expect(Reason).toContain(reason);
  aws.calls.length = 0;
  expect((await send("Delete", "agent", properties, { id: PhysicalResourceId })).Status).toBe("SUCCESS");
  expect(aws.calls).toEqual([]);
});

test("a pasted secret is in no reason, and a key that could not be stored is disabled", async () => {
  const pasted = "sk-pasted-0123456789";
  const model = { Name: "Acme", Model: { provider: "anthropic", model: "m", secret: pasted } };
  const refused = await send("Create", "organization", model);
  expect(refused).toMatchObject({
    Status: "FAILED",
    Reason: expect.stringContaining("must not be the key itself") as string,
  });
  const mcp = [{ name: "shop", url: "https://shop.example/mcp", headers: { authorization: { secret: pasted } } }];
  const OrganizationId = await organization();
  const agent = await send("Create", "agent", { OrganizationId, Definition: fileOf({ mcp }) });
  expect(agent).toMatchObject({
    Status: "FAILED",
    Reason: expect.stringContaining("the secret of the header authorization") as string,
  });
  const url = `ftp://user:${pasted}@shop.example/mcp`;
  const withUser = await send("Create", "agent", {
    OrganizationId,
    Definition: fileOf({ mcp: [{ name: "shop", url }] }),
  });
  expect(withUser.Status).toBe("FAILED");
  expect(JSON.stringify([refused, agent, withUser])).not.toContain("pasted");
  const id = await created("agent", { OrganizationId, Definition: fileOf() });
  const unknown = await send("Create", "api_key", { AgentIds: [id], SecretArn: "arn:unknown" });
  expect(unknown).toMatchObject({
    Status: "FAILED",
    Reason: expect.stringContaining("the log of the function") as string,
  });
  expect(await accounts.listKeys(id)).toMatchObject([{ enabled: false }]);
});
