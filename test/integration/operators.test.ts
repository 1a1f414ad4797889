import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newToken } from "../../src/accounts/token.ts";
import { admin, done, listed } from "./admin.ts";
import { newDataDir, type Service, startService } from "./service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService(newDataDir(), ["--allow-host", "runs.example.com"]);
});
afterAll(() => service[Symbol.asyncDispose]());

const tokenOf = (link: unknown): string => String(link).split("#")[1] ?? "";
const link = async (role: string) => done(service.dataDir, "operator", "link", "--name", "mira", "--role", role);

async function call(method: string, path: string, token: string | undefined, body?: object) {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.text();
  const json = (answer === "" ? {} : JSON.parse(answer)) as Partial<Record<"detail" | "code" | "id" | "token", string>>;
  return { status: response.status, headers: response.headers, ...json };
}

test("the link of npm start signs in; a new operator is known at once, and a revoked one no more", async () => {
  expect(await call("GET", "/manage/v1/me", tokenOf(service.consoleUrl))).toMatchObject({
    status: 200,
    name: "npm start",
    role: "operator",
    secrets: { accepted: expect.arrayContaining(["env:OPENAI_API_KEY"]), hint: expect.stringContaining("env:NAME") },
  });
  const created = await link("operator");
  const token = tokenOf(created["console_url"]);
  expect(await call("GET", "/manage/v1/me", token)).toMatchObject({ status: 200, name: "mira" });
  const other = await call("POST", "/manage/v1/operators", token, { name: "noor", role: "viewer" });
  expect(other).toMatchObject({ status: 201, token: expect.stringMatching(/^ao_/) });
  const audit = await listed<Record<string, string>>(service.dataDir, "audit", "--limit", "1");
  expect(audit[0]).toMatchObject({
    actor: `mira (${String(created["hint"])})`,
    action: "operator.create",
    id: other.id,
  });

  expect((await call("POST", `/manage/v1/operators/${other.id}/revoke`, token)).status).toBe(200);
  await done(service.dataDir, "operator", "revoke", created.id);
  for (const revoked of [token, String(other.token)]) {
    const { status, headers, code } = await call("GET", "/manage/v1/me", revoked);
    expect([status, code, headers.get("www-authenticate")]).toEqual([401, "key_invalid", "Bearer"]);
  }
});

test("a link can be limited to organizations, with a role in each", async () => {
  const [first, second] = await Promise.all(
    ["Acme", "Beta"].map(async (name) => (await done(service.dataDir, "org", "create", "--name", name)).id),
  );
  const organizations = ["--organization", `${first}`, "--organization", `${second}=viewer`];
  const created = await done(service.dataDir, "operator", "link", "--name", "jo", ...organizations);
  expect(created).toMatchObject({
    organizations: [
      { id: first, role: "operator" },
      { id: second, role: "viewer" },
    ],
  });
  const token = tokenOf(created["console_url"]);
  const roles = [
    { id: first, role: "operator" },
    { id: second, role: "viewer" },
  ];
  expect(await call("GET", "/manage/v1/me", token)).toMatchObject({ role: null, organizations: roles });
  const all = await fetch(`${service.baseUrl}/manage/v1/organizations`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(((await all.json()) as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual([first, second]);
  const { stderr } = await admin(service.dataDir, "operator", "link", "--organization", `${first}=owner`);
  expect(stderr).toContain(`--organization is "${first}=owner"; expected ID, ID=operator or ID=viewer`);
});

test("each API refuses the credentials of the other, and malformed ones", async () => {
  const path = `/v1/agents/${crypto.randomUUID()}`;
  const operator = tokenOf(service.consoleUrl);
  expect(await call("GET", path, operator)).toMatchObject({ status: 401, detail: "Invalid API key" });
  expect((await fetch(service.baseUrl + path, { headers: { "x-api-key": operator } })).status).toBe(401);
  const me = (token: string | undefined) => call("GET", "/manage/v1/me", token);
  const headers = { "x-api-key": operator };
  expect((await fetch(`${service.baseUrl}/manage/v1/me`, { headers })).status).toBe(401);
  expect(await me(undefined)).toMatchObject({ status: 401, code: "key_missing" });
  expect(await me(service.apiKey)).toMatchObject({
    status: 401,
    code: "key_invalid",
    detail: "This is an API key (ak_…), which is for /v1; here, send an operator token (ao_…)",
  });
  const malformed = ["ao_", `${operator}x`, operator.toUpperCase(), newToken("ao").token, "x"];
  for (const token of malformed) expect(await me(token)).toMatchObject({ status: 401, code: "key_invalid" });
});

test("a viewer reads and changes nothing", async () => {
  const viewer = tokenOf((await link("viewer"))["console_url"]);
  expect(await call("GET", "/manage/v1/operators", viewer)).toMatchObject({ status: 200 });
  const created = await call("POST", "/manage/v1/operators", viewer, { name: "self", role: "operator" });
  expect(created).toMatchObject({ status: 403, code: "forbidden", detail: expect.stringContaining("may only read") });
  const [{ id = "" } = {}] = await listed<{ id?: string }>(service.dataDir, "operator", "list");
  expect((await call("POST", `/manage/v1/operators/${id}/revoke`, viewer)).status).toBe(403);
});

test("there are no CORS headers in the answer to OPTIONS", async () => {
  for (const [path, status] of [
    ["/manage/v1/me", 204],
    ["/v1/agents", 405],
  ] as const) {
    const response = await fetch(service.baseUrl + path, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "GET" },
    });
    await response.text();
    expect([response.status, [...response.headers.keys()].filter((name) => name.startsWith("access-"))]).toEqual([
      status,
      [],
    ]);
  }
});

test.each([
  ["/manage/v1/me", "evil.example", 403],
  ["/manage/v1/me", "runs.example.com", 200],
  ["/v1/openapi.json", "evil.example", 200],
])("%s with the Host %s is %d", async (path, host, status) => {
  const headers = { host, authorization: `Bearer ${tokenOf(service.consoleUrl)}` };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(service.baseUrl + path, { headers }, (response) => {
    void text(response).then(() => resolve(response.statusCode ?? 0));
  });
  sent.once("error", reject).end();
  expect(await promise).toBe(status);
});

test("a page stays signed in over a restart", async () => {
  const { dataDir, consoleUrl } = service;
  await service.end("SIGKILL");
  service = await startService(dataDir);
  expect(tokenOf(service.consoleUrl)).toBe(tokenOf(consoleUrl));
  expect((await call("GET", "/manage/v1/me", tokenOf(consoleUrl))).status).toBe(200);
});

test("the last operator cannot revoke itself in the page; the CLI can", async () => {
  await using alone = await startService(newDataDir());
  const headers = { authorization: `Bearer ${tokenOf(alone.consoleUrl)}` };
  const list = await fetch(`${alone.baseUrl}/manage/v1/operators`, { headers });
  const [only, ...others] = ((await list.json()) as { data: { id: string; hint: string }[] }).data;
  if (!only) throw new Error("npm start made no operator");
  expect(others).toEqual([]);
  const revoke = () => fetch(`${alone.baseUrl}/manage/v1/operators/${only.id}/revoke`, { method: "POST", headers });
  const refused = await revoke();
  expect([refused.status, await refused.json()]).toMatchObject([409, { code: "last_operator" }]);
  expect((await fetch(`${alone.baseUrl}/manage/v1/me`, { headers })).status).toBe(200);

  // A viewer, an operator of some organizations, and one whose link has ended could not manage the service either.
  await done(alone.dataDir, "operator", "link", "--name", "vera", "--role", "viewer");
  const [organization] = await listed<{ id: string }>(alone.dataDir, "org", "list");
  await done(alone.dataDir, "operator", "link", "--name", "jo", "--organization", `${organization?.id}=operator`);
  const body = JSON.stringify({
    name: "temp",
    role: "operator",
    expires_at: new Date(Date.now() + 1_000).toISOString(),
  });
  const typed = { ...headers, "content-type": "application/json" };
  const ends = await fetch(`${alone.baseUrl}/manage/v1/operators`, { method: "POST", headers: typed, body });
  const { token } = (await ends.json()) as { token: string };
  const me = () => fetch(`${alone.baseUrl}/manage/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  await expect.poll(async () => (await me()).status).toBe(401);
  expect((await revoke()).status).toBe(409);
  await done(alone.dataDir, "operator", "link", "--name", "mira", "--role", "operator");
  expect((await revoke()).status).toBe(200);
  const mira = await done(alone.dataDir, "operator", "link", "--name", "noor", "--role", "operator");
  await done(alone.dataDir, "operator", "revoke", String(mira["hint"]));
});

test("a key and a link end at the time of --expires-at", async () => {
  const days = async (expires: string) => {
    const created = await done(service.dataDir, "operator", "link", "--name", "temp", "--expires-at", expires);
    return Math.round((Date.parse(String(created["expires_at"])) - Date.now()) / 86_400_000);
  };
  expect(await days("90d")).toBe(90);
  const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  expect([29, 30]).toContain(await days(day));
  const agent = ["--agent", service.templateId];
  const key = await done(service.dataDir, "key", "create", ...agent, "--expires-at", "7d");
  expect(Date.parse(String(key["expires_at"])) - Date.now()).toBeGreaterThan(6 * 86_400_000);
  for (const [expires, problem] of [
    ["soon", '--expires-at is "soon": input should be a valid datetime'],
    ["2020-01-01", "expected a time in the future, at most ten years from now"],
    ["9999d", "expected a time in the future, at most ten years from now"],
  ] as const) {
    const { code, stderr } = await admin(service.dataDir, "key", "create", ...agent, "--expires-at", expires);
    expect([code, stderr]).toEqual([1, expect.stringContaining(problem)]);
  }
});

test("the start and the lists name the keys and links that end within two weeks, and no others", async () => {
  const dataDir = newDataDir();
  const first = await startService(dataDir);
  const agent = ["--agent", first.templateId];
  const create = (name: string, ...expires: string[]) =>
    done(dataDir, "key", "create", ...agent, "--name", name, ...expires);
  const [soon, sooner, disabled] = [
    await create("billing", "--expires-at", "9d"),
    await create("reports", "--expires-at", "5d"),
    await create("old", "--expires-at", "5d"),
    await create("later", "--expires-at", "20d"),
    await create("always"),
  ];
  await done(dataDir, "key", "disable", disabled.id);
  const operator = await done(dataDir, "operator", "link", "--name", "mira", "--expires-at", "3d");
  const keys = `${String(sooner["hint"])} \\(reports\\) in [45] days, ${String(soon["hint"])} \\(billing\\) in [89] days`;
  const tokens = `${String(operator["hint"])} \\(mira\\) in [23] days`;
  const list = async (...command: string[]) => (await admin(dataDir, ...command)).stdout.trimEnd();
  expect(await list("key", "list", ...agent)).toMatch(new RegExp(`\n\n2 keys end within 14 days: ${keys}\\.$`));
  expect(await list("operator", "list")).toMatch(new RegExp(`\n\n1 token ends within 14 days: ${tokens}\\.$`));
  await first.end("SIGTERM");
  await using second = await startService(dataDir);
  await expect
    .poll(second.errors)
    .toMatch(
      new RegExp(
        `warning: 2 API keys end within 14 days: ${keys}; 1 operator token ends within 14 days: ${tokens}\\. `,
      ),
    );
});
