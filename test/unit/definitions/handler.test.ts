import type { CloudFormationCustomResourceEvent } from "aws-lambda";
import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { findKey } from "../../../src/accounts/keys.ts";
import { resourceTypes } from "../../../src/definitions/definition-types.ts";
import { logging } from "../../../src/log.ts";
import type { Accounts } from "../../../src/accounts/account-types.ts";
import { awsRecords } from "../../../src/platform/aws/records.ts";
import { accountsOf } from "../../../src/platform/records/accounts.ts";
import { documentClient } from "../../../src/platform/aws/sdk/clients.ts";
import { type FakeAwsEndpoint, fakeAwsEndpoint } from "../../support/fake-aws/endpoint.ts";
import { httpServer } from "../../support/http-server.ts";
import { asLambda } from "../../support/lambda-function.ts";

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
let accounts: Accounts;

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
  handler = asLambda((await import("../../../lambdas/definitions.ts")).handler);
  const documents = documentClient({ region: "eu-central-1", credentials, endpoint: aws.endpoint });
  accounts = accountsOf(awsRecords({ documents, table: "table" }));
  logging.level = "off";
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([aws.close(), cloudFormation.close()]);
});
beforeEach(() => void (aws.calls.length = 0));

/** What tells a request from others. `id`, `former`: of an update or a deletion. */
interface Request {
  id?: string;
  former?: object;
  StackId?: string;
  RequestId?: string;
  LogicalResourceId?: string;
}

/** Sends an event as CloudFormation does, and resolves with the response. Without `RequestId`, it is another request each time. */
async function send(
  RequestType: "Create" | "Update" | "Delete",
  kind: Kind,
  properties: object,
  { id, former, ...request }: Request = {},
): Promise<Response> {
  const shared = { ServiceToken: "arn:function", ServiceTimeout: "300" };
  await handler({
    RequestType,
    ResourceType: resourceTypes[kind],
    ResponseURL: cloudFormation.url,
    StackId: stackId,
    RequestId: randomUUID(),
    LogicalResourceId: "Support",
    ...request,
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
  expect(writes()).toBe(0);
});

test("a pasted secret is in no reason, and a key whose secret does not exist is not made", async () => {
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
  expect(await accounts.listKeys(id)).toEqual([]);
});

/** All organizations, agents and keys. */
async function everything(): Promise<object[]> {
  const agents = await accounts.listAgents();
  const keys = await Promise.all(agents.map(({ id }) => accounts.listKeys(id)));
  return [...(await accounts.listOrganizations()), ...agents, ...keys.flat()];
}

/** Properties of a new resource of each kind. */
async function propertiesOf(kind: Kind): Promise<object> {
  if (kind === "organization") return { Name: "Acme" };
  const OrganizationId = await organization();
  if (kind === "agent") return { OrganizationId, Definition: fileOf() };
  return { AgentIds: [await created("agent", { OrganizationId, Definition: fileOf() })], SecretArn: secretArn };
}

describe.each(["organization", "agent", "api_key"] as const)("a create of the kind %s", (kind) => {
  test("that is delivered again, or twice at once, makes one and has one answer", async () => {
    const properties = await propertiesOf(kind);
    const request = { RequestId: randomUUID() };
    const before = await everything();
    const answers = await Promise.all([1, 2, 3].map(() => send("Create", kind, properties, request)));
    const value = secrets[secretArn];
    answers.push(await send("Create", kind, properties, request));
    expect(new Set(answers.map(({ Status }) => Status))).toEqual(new Set(["SUCCESS"]));
    expect(new Set(answers.map(({ PhysicalResourceId }) => PhysicalResourceId)).size).toBe(1);
    expect(await everything()).toHaveLength(before.length + 1);
    expect(secrets[secretArn]).toBe(value);
    if (kind === "api_key") expect(await findKey(accounts, value ?? "")).toMatchObject({ enabled: true });
  });

  test("that is delivered again later changes nothing that happened in between", async () => {
    const properties = await propertiesOf(kind);
    const request = { RequestId: randomUUID() };
    const { PhysicalResourceId: id } = await send("Create", kind, properties, request);
    await send("Delete", kind, properties, { id });
    const { PhysicalResourceId: other } = await send("Create", kind, properties);
    const value = secrets[secretArn];
    const before = await everything();
    expect(await send("Create", kind, properties, request)).toMatchObject({ PhysicalResourceId: id });
    expect([await everything(), secrets[secretArn]]).toEqual([before, value]);
    expect(other).not.toBe(id); // another request after a rollback
  });

  test("of another stack or another construct makes another one", async () => {
    const properties = await propertiesOf(kind);
    const RequestId = randomUUID();
    const requests = [{ RequestId }, { RequestId, StackId: `${stackId}2` }, { RequestId, LogicalResourceId: "Sales" }];
    const ids: string[] = [];
    for (const request of requests) ids.push((await send("Create", kind, properties, request)).PhysicalResourceId);
    expect(new Set(ids).size).toBe(3);
  });

  test("that failed has an id whose deletion changes nothing", async () => {
    const { PhysicalResourceId: id, Status } = await send("Create", kind, {});
    aws.calls.length = 0;
    expect([Status, (await send("Delete", kind, {}, { id })).Status, writes()]).toEqual(["FAILED", "SUCCESS", 0]);
  });
});

test("a replacement that is delivered twice makes one, and CloudFormation's own ids of a failed create are accepted", async () => {
  const agent = { OrganizationId: await organization(), Definition: fileOf() };
  const id = await created("agent", agent);
  const key = { AgentIds: [id], SecretArn: secretArn };
  const hash = await created("api_key", key);
  const other = { ...agent, OrganizationId: await organization() };
  for (const [kind, properties, former, of] of [
    ["agent", other, agent, id],
    ["api_key", { ...key, Name: "New" }, key, hash],
  ] as const) {
    const request = { id: of, former, RequestId: randomUUID() };
    const answers = await Promise.all([1, 2].map(() => send("Update", kind, properties, request)));
    const ids = new Set(answers.map(({ PhysicalResourceId }) => PhysicalResourceId));
    expect([ids.size, ids.has(of)]).toEqual([1, false]);
  }
  expect(await accounts.listAgents(other.OrganizationId)).toHaveLength(1);
  expect(await accounts.listKeys(id)).toHaveLength(2);
  const unknown = { id: "Shop-AgentsShopKeyResource-1A2B3C4D5E6F" };
  expect((await send("Delete", "api_key", key, unknown)).Status).toBe("SUCCESS");
});

test("a delivery that ended before the key was stored is completed by the next one", async () => {
  const id = await created("agent", { OrganizationId: await organization(), Definition: fileOf() });
  const key = { AgentIds: [id], SecretArn: secretArn };
  const request = { RequestId: randomUUID() };
  aws.refused.add("TransactWriteItems");
  expect((await send("Create", "api_key", key, request)).Status).toBe("FAILED");
  aws.refused.clear();
  const value = secrets[secretArn] ?? "";
  expect(await accounts.listKeys(id)).toEqual([]);
  const { PhysicalResourceId } = await send("Create", "api_key", key, request);
  expect(await findKey(accounts, value)).toMatchObject({ hash: PhysicalResourceId, enabled: true });
  expect(secrets[secretArn]).toBe(value);
});
