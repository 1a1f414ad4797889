import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OidcConfig } from "../../console/api/oidc.ts";
import { consoleName, stackName } from "./cdk.ts";
import { endedRun, manageClient, type ManageClient } from "./manage-client.ts";
import { environment, type Process, start } from "./processes.ts";
import { forwardToApi, invite, stackOutputs } from "./service.ts";
import { emulatedConfig, expireTokens, invitedPassword, signIn } from "./sign-in.ts";

const content = "Hello from the console.\n";
const file = { filename: "hello.txt", content_base64: Buffer.from(content).toString("base64") };
const definition = { name: "Console test", instructions: "Answer.", tools: ["list_files", "read_file"] };

/** Creates an organization with the demo model, an agent and a key. */
async function newAgent(api: ManageClient) {
  const { id: organization_id } = await api.call("POST", "/organizations", { name: "Console test" }, 201);
  await api.call("PUT", `/organizations/${organization_id}/model`, { provider: "demo" });
  const { id: agent_id } = await api.call("POST", "/agents", { organization_id, definition }, 201);
  const { key } = await api.call("POST", `/agents/${agent_id}/keys`, { name: "ci" }, 201);
  return { agent_id, key };
}

describe("npm run console -- --stack", () => {
  let process: Process;
  let api: ManageClient;
  let baseUrl: string;
  beforeAll(async () => {
    const { OPERATOR_ACCESS_KEY_ID = "", OPERATOR_SECRET_ACCESS_KEY = "" } = globalThis.process.env;
    const keys = { AWS_ACCESS_KEY_ID: OPERATOR_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: OPERATOR_SECRET_ACCESS_KEY };
    process = start("node", ["bin/console.ts", "--stack", stackName], { env: environment(keys) });
    const link = await new Promise<string>((resolve, reject) => {
      process.stdout?.on("data", (chunk: Buffer) => {
        const [found] = /http:\S+/.exec(chunk.toString()) ?? [];
        if (found !== undefined) resolve(found);
      });
      process.stderr?.on("data", (chunk: Buffer) => reject(new Error(chunk.toString())));
    });
    const { origin, hash } = new URL(link);
    baseUrl = origin;
    api = manageClient(origin, hash.slice(1));
  });
  afterAll(() => void process.kill("SIGTERM"));

  test("shows who the operator is and what the service is", async () => {
    expect(await api.call("GET", "/me")).toMatchObject({
      name: "operator",
      role: "operator",
      platform: "aws",
      sign_in: "aws",
      stack: stackName,
      service_url: expect.stringMatching(/^https?:/) as string,
    });
  });

  test("runs an agent with a file, with the operators' policy only", { timeout: 120_000 }, async () => {
    const { agent_id, key } = await newAgent(api);
    expect(key).toMatch(/^ak_/);
    const { id = "" } = await api.call(
      "POST",
      "/runs",
      { agent_id, name: "One", input_text: "What is in it?", files: [file] },
      201,
    );
    const events = await api.eventsUntilEnd(id);
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["input", "model_call", "output"]));
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    expect(await api.call("GET", `/runs/${id}/files`)).toMatchObject({ data: [{ name: "hello.txt", size: 24 }] });
    expect(await api.download(`/runs/${id}/files/hello.txt`)).toBe(content);
    await api.call("POST", `/runs/${id}/input`, { input_text: "Once more." }, 202);
    expect(await endedRun(api, id)).toMatchObject({ status: "finished", turn: 2 });
    expect(await api.call("POST", `/runs/${id}/stop`)).toMatchObject({ status: "terminated" });
    await api.call("DELETE", `/runs/${id}`, undefined, 204);
    // What is left says that there was a run, and nothing of it.
    expect(await api.call("GET", `/runs/${id}`)).toMatchObject({ status: "terminated", name: "", input_excerpt: null });
    expect(await api.call("GET", `/runs/${id}/events`)).toEqual({ data: [], next: null });
  });

  test("names the caller's ARN in the audit", async () => {
    const { data } = await api.call<{ data: { action: string; actor: string }[] }>("GET", "/audit?limit=20");
    const mine = data.filter(({ actor }) => actor === "arn:aws:iam::000000000000:user/operator");
    expect(mine.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["org.create", "agent.create", "key.create", "run.create", "run.stop", "run.delete"]),
    );
  });

  test("serves the page, and nothing without its token or to another host", async () => {
    const page = await fetch(`${baseUrl}/console/`);
    expect([page.status, page.headers.get("content-security-policy")]).toEqual([
      200,
      expect.stringContaining("connect-src 'self';"),
    ]);
    expect((await fetch(`${baseUrl}/manage/v1/me`)).status).toBe(401);
    expect((await fetch(`${baseUrl}/v1/agents`, { method: "POST" })).status).toBe(405);
  });
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("the console's stack", () => {
  let forwarder: { baseUrl: string; close: () => void };
  let consoleUrl: string;
  let config: OidcConfig;
  beforeAll(async () => {
    ({ ConsoleUrl: consoleUrl = "" } = await stackOutputs(consoleName));
    forwarder = await forwardToApi(consoleUrl);
    const response = await fetch(`${forwarder.baseUrl}/console/config.json`);
    config = emulatedConfig((await response.json()) as OidcConfig);
  });
  afterAll(() => forwarder.close());

  const password = "Correct-Horse-7-Battery";

  /** Invites a person, who signs in with the temporary password and chooses another. */
  async function invited(email: string, role: string): Promise<ManageClient> {
    await invite(email, "--role", role);
    const answers = { username: email, challenge: "PASSWORD", new_password: password, confirm_password: password };
    const { tokens, returnTo } = await signIn(
      consoleUrl,
      config,
      { ...answers, password: await invitedPassword(email) },
      "/console/runs?status=running",
    );
    expect(returnTo).toBe("/console/runs?status=running");
    return manageClient(forwarder.baseUrl, tokens.bearer);
  }

  let operator: ManageClient;
  let viewer: ManageClient;

  test("serves the page to anyone, which may send requests to the user pool's domain", async () => {
    const page = await fetch(`${forwarder.baseUrl}/console/runs`);
    const policy = page.headers.get("content-security-policy");
    expect([page.status, policy]).toEqual([
      200,
      expect.stringMatching(/connect-src 'self' https:\/\/agent-run-test-[^ ]+amazoncognito\.com;/),
    ]);
    const [script = ""] = /\/console\/main-\w+\.js/.exec(await page.text()) ?? [];
    expect((await fetch(`${forwarder.baseUrl}${script}`)).headers.get("cache-control")).toContain("immutable");
    expect((await fetch(`${forwarder.baseUrl}/manage/v1/openapi.json`)).status).toBe(200);
  });

  test("lets an invited operator do everything, under their name", { timeout: 120_000 }, async () => {
    operator = await invited("ada@example.com", "operator");
    expect(await operator.call("GET", "/me")).toMatchObject({
      name: "ada@example.com",
      role: "operator",
      sign_in: "jwt",
      stack: stackName,
    });
    const { agent_id } = await newAgent(operator);
    const { id = "" } = await operator.call(
      "POST",
      "/runs",
      { agent_id, name: "Two", input_text: "What?", files: [file] },
      201,
    );
    expect(await endedRun(operator, id)).toMatchObject({ status: "finished" });
    expect((await operator.eventsUntilEnd(id)).at(-1)).toMatchObject({ type: "output" });
    expect(await operator.download(`/runs/${id}/files/hello.txt`)).toBe(content);
    await operator.call("DELETE", `/runs/${id}`, undefined, 204);
    const { data } = await operator.call<{ data: { actor: string }[] }>("GET", "/audit?limit=1");
    expect(data[0]?.actor).toMatch(/^ada@example\.com \([0-9a-f-]{36}\)$/);
  });

  test("lets an invited viewer read, and change nothing", async () => {
    viewer = await invited("grace@example.com", "viewer");
    expect(await viewer.call("GET", "/me")).toMatchObject({ role: "viewer" });
    await viewer.call("GET", "/organizations");
    expect(await viewer.call("POST", "/organizations", { name: "No" }, 403)).toMatchObject({ code: "forbidden" });
  });

  test("refuses tokens that the user pool has not signed", async () => {
    const [head = "", payload = "", signature = ""] = operator.token.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
    const forged = [
      "",
      "garbage",
      `${head}.${part({ ...claims, exp: 2_000_000_000 })}.${signature}`,
      `${part({ alg: "none" })}.${payload}.`,
      `${viewer.token.split(".").slice(0, 2).join(".")}.${signature}`,
    ];
    for (const token of forged) await manageClient(forwarder.baseUrl, token).call("GET", "/me", undefined, 401);
  });

  test("refuses a token that has expired", async () => {
    await expireTokens(consoleName);
    const answers = { username: "ada@example.com", challenge: "PASSWORD", password };
    const { tokens } = await signIn(consoleUrl, config, answers);
    const late = manageClient(forwarder.baseUrl, tokens.bearer);
    await expect.poll(() => late.status("GET", "/me"), { timeout: 10_000 }).toBe(401);
  });
});
