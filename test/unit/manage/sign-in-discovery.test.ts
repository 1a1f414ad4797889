import { expect, test, vi } from "vitest";
import { oidcSignIn } from "../../../src/manage/sign-in/discovery.ts";

const issuer = "https://login.example.com/tenant/";
const signIn = { issuer, clientId: "agent runs", scope: "openid" };
const document = {
  issuer,
  authorization_endpoint: "https://login.example.com/authorize",
  token_endpoint: "https://tokens.example.com/token",
};

function provider(body: unknown, status = 200) {
  return vi.fn(async (_url: string | URL | Request) => Response.json(body, { status }));
}

test("endpoints are read from the issuer once an hour", async () => {
  const fetch = provider({ ...document, end_session_endpoint: "https://login.example.com/out?x=1" });
  let time = 0;
  const config = oidcSignIn(signIn, { fetch, now: () => time });
  expect(await config()).toEqual({
    sign_in: "oidc",
    issuer,
    authorization_endpoint: "https://login.example.com/authorize",
    token_endpoint: "https://tokens.example.com/token",
    client_id: "agent runs",
    scope: "openid",
    sign_out_url: "https://login.example.com/out?x=1&client_id=agent+runs",
  });
  time = 3_599_999;
  await config();
  expect(fetch.mock.calls.map(([url]) => url)).toEqual([
    "https://login.example.com/tenant/.well-known/openid-configuration",
  ]);
  time = 3_600_000;
  await config();
  expect(fetch).toHaveBeenCalledTimes(2);
});

test("endpoints of the settings are used as they are", async () => {
  const fetch = provider({});
  const endpoints = { authorization: "https://a.example.com", token: "https://t.example.com" };
  expect(await oidcSignIn({ ...signIn, endpoints }, { fetch })()).toMatchObject({
    authorization_endpoint: "https://a.example.com",
    token_endpoint: "https://t.example.com",
    sign_out_url: null,
  });
  expect(fetch).not.toHaveBeenCalled();
});

test.each([
  [document, 404, "responded with 404"],
  [
    { ...document, issuer: "https://login.example.com" },
    200,
    'names the issuer "https://login.example.com"; consoleIssuer',
  ],
  [{ ...document, token_endpoint: "http://login.example.com/token" }, 200, "has token_endpoint"],
  [{ issuer, authorization_endpoint: document.authorization_endpoint }, 200, "no token_endpoint"],
])("%j with %i is refused, and asked for again after 10 seconds", async (body, status, message) => {
  const fetch = provider(body, status);
  let time = 0;
  const config = oidcSignIn(signIn, { fetch, now: () => time });
  const [first, second] = [config(), config()]; // share a request
  await expect(first).rejects.toThrow(message);
  await expect(second).rejects.toThrow(message);
  time = 9_999;
  await expect(config()).rejects.toThrow(message);
  expect(fetch).toHaveBeenCalledTimes(1);
  time = 10_000;
  await expect(config()).rejects.toThrow(message);
  expect(fetch).toHaveBeenCalledTimes(2);
});
