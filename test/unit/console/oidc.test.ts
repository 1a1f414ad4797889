import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type BrowserWindow,
  finishSignIn,
  isExpiring,
  type OidcConfig,
  renew,
  SignInError,
  startSignIn,
} from "../../../console/api/oidc.ts";
import { type HttpServer, httpServer } from "../../support/http-server.ts";

/** A provider's token endpoint. It answers with `answer` and keeps what it was asked. */
let provider: HttpServer;
let answer: { status: number; body: object };
let asked: Record<string, string>[];

beforeAll(async () => {
  provider = await httpServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      asked.push(Object.fromEntries(new URLSearchParams(text)));
      response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
    });
  });
});
afterAll(() => provider.close());
beforeEach(() => {
  asked = [];
});

const page = "https://runs.example.com";

function config(): OidcConfig {
  return {
    sign_in: "oidc",
    issuer: "https://login.example.com",
    authorization_endpoint: "https://login.example.com/authorize?theme=dark",
    token_endpoint: `${provider.url}/token`,
    client_id: "agent-runs",
    scope: "openid email",
    sign_out_url: null,
  };
}

/** A tab. `visited`: the addresses to which it was sent. */
function newTab(
  path: string,
): BrowserWindow & { visited: URL[]; open(path: string): void; stored: Map<string, string> } {
  const stored = new Map<string, string>();
  const visited: URL[] = [];
  const location = {
    href: "",
    pathname: "",
    search: "",
    hash: "",
    assign: (url: string) => void visited.push(new URL(url)),
  };
  const open = (at: string): void => {
    const { href, pathname, search, hash } = new URL(at, page);
    Object.assign(location, { href, pathname, search, hash });
  };
  open(path);
  return {
    visited,
    stored,
    open,
    location,
    history: { replaceState: (_data, _unused, url) => open(url) },
    sessionStorage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    },
  };
}

function idToken(claims: object): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;
}

/** Starts a sign-in in a tab, and returns what the provider got. */
async function begin(tab: BrowserWindow & { visited: URL[] }): Promise<Record<string, string>> {
  await startSignIn(tab, config());
  return Object.fromEntries(tab.visited.at(-1)?.searchParams ?? []);
}

const claims = { iss: "https://login.example.com", aud: "agent-runs", sub: "42", name: "Zoë ✓", exp: 1_800_000_000 };

test("a person signs in with PKCE and returns to the page that they asked for", async () => {
  const tab = newTab("/console/runs/7?at=2.3#tools");
  const sent = await begin(tab);
  expect(tab.visited.at(-1)?.origin).toBe("https://login.example.com");
  expect(sent).toMatchObject({
    theme: "dark",
    response_type: "code",
    client_id: "agent-runs",
    redirect_uri: `${page}/console/`,
    scope: "openid email",
    code_challenge_method: "S256",
  });

  tab.open(`/console/?code=c0de&state=${sent["state"]}`);
  answer = {
    status: 200,
    body: { id_token: idToken({ ...claims, nonce: sent["nonce"] }), refresh_token: "r1", access_token: "a" },
  };
  const finished = await finishSignIn(tab, config());
  expect(finished).toEqual({
    tokens: { bearer: expect.stringMatching(/^e30\.ey/) as string, expiresAt: 1_800_000_000_000, refreshToken: "r1" },
    returnTo: "/console/runs/7?at=2.3#tools",
  });
  const [{ code_verifier = "", ...request } = {}] = asked;
  expect(request).toEqual({
    grant_type: "authorization_code",
    code: "c0de",
    client_id: "agent-runs",
    redirect_uri: `${page}/console/`,
  });
  expect(createHash("sha256").update(code_verifier).digest("base64url")).toBe(sent["code_challenge"]);
  expect(tab.location.href).toBe(`${page}/console/`);
  expect([...tab.stored]).toEqual([]);
});

test("a page that the provider did not return to signs no one in", async () => {
  for (const path of ["/console/", "/console/?code=1", "/console/runs?code=1&state=2", "/console/?state=2"]) {
    expect(await finishSignIn(newTab(path), config())).toBeUndefined();
  }
});

test.each([
  ["another state", (state: string) => `code=c&state=${state}x`],
  ["another issuer", (state: string) => `code=c&state=${state}&iss=https://evil.example.com`],
])("a return with %s is refused without a request", async (_, query) => {
  const tab = newTab("/console/");
  const { state = "" } = await begin(tab);
  tab.open(`/console/?${query(state)}`);
  await expect(finishSignIn(tab, config())).rejects.toThrow("This tab did not start the sign-in");
  expect(asked).toEqual([]);
  expect(tab.location.href).toBe(`${page}/console/`);
});

test("a code works once, and only in the tab that started the sign-in", async () => {
  const tab = newTab("/console/");
  const { state, nonce } = await begin(tab);
  const back = `/console/?code=c&state=${state}`;
  await expect(finishSignIn(newTab(back), config())).rejects.toThrow(SignInError);
  answer = { status: 200, body: { id_token: idToken({ ...claims, nonce }) } };
  tab.open(back);
  expect(await finishSignIn(tab, config())).toMatchObject({ tokens: { refreshToken: undefined } });
  tab.open(back);
  await expect(finishSignIn(tab, config())).rejects.toThrow(SignInError);
});

test.each([
  ["another nonce", { ...claims, nonce: "other" }],
  ["no nonce", claims],
  ["another client", { aud: "other" }],
  ["another issuer", { iss: "https://evil.example.com" }],
])("a token with %s is refused", async (_, other) => {
  const tab = newTab("/console/");
  const { state, nonce } = await begin(tab);
  const kept = "nonce" in other || other === claims ? other : { ...claims, nonce, ...other };
  answer = { status: 200, body: { id_token: idToken(kept) } };
  tab.open(`/console/?code=c&state=${state}`);
  await expect(finishSignIn(tab, config())).rejects.toThrow("a token that is not for this sign-in");
});

test("a refusal of the provider is shown", async () => {
  const tab = newTab("/console/");
  const { state } = await begin(tab);
  tab.open(`/console/?error=access_denied&error_description=No+access&state=${state}`);
  await expect(finishSignIn(tab, config())).rejects.toThrow("The sign-in was refused: No access");
});

test("a stored address of another page is not followed", async () => {
  const tab = newTab("/console/");
  await startSignIn(tab, config(), "//evil.example.com/");
  const { state, nonce } = Object.fromEntries(tab.visited[0]?.searchParams ?? []);
  answer = { status: 200, body: { id_token: idToken({ ...claims, nonce }) } };
  tab.open(`/console/?code=c&state=${state}`);
  expect(await finishSignIn(tab, config())).toMatchObject({ returnTo: "/console/" });
});

test("tokens are renewed, with a new refresh token or the same", async () => {
  const tokens = { bearer: "b", expiresAt: 0, refreshToken: "r1" };
  answer = { status: 200, body: { id_token: idToken(claims) } };
  expect(await renew(config(), tokens)).toMatchObject({ expiresAt: 1_800_000_000_000, refreshToken: "r1" });
  answer = { status: 200, body: { id_token: idToken(claims), refresh_token: "r2" } };
  expect(await renew(config(), tokens)).toMatchObject({ refreshToken: "r2" });
  expect(asked[0]).toEqual({ grant_type: "refresh_token", refresh_token: "r1", client_id: "agent-runs" });
  expect([
    isExpiring({ bearer: "", expiresAt: 100_000 }, 39_000),
    isExpiring({ bearer: "", expiresAt: 100_000 }, 41_000),
  ]).toEqual([false, true]);
});

test("a person signs in again if renewal is refused, and not if the provider fails", async () => {
  const tokens = { bearer: "b", expiresAt: 0, refreshToken: "r1" };
  answer = { status: 400, body: { error: "invalid_grant" } };
  await expect(renew(config(), tokens)).rejects.toThrow(SignInError);
  await expect(renew(config(), { bearer: "b", expiresAt: 0 })).rejects.toThrow("Your sign-in has expired");
  answer = { status: 503, body: {} };
  const failure: unknown = await renew(config(), tokens).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(failure).not.toBeInstanceOf(SignInError);
});
