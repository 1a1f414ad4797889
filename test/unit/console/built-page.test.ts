import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { buildConsole } from "../../../scripts/build-console.ts";
import type { ApiRequest, ApiResponse } from "../../../src/http/handler.ts";
import type { OidcSignIn } from "../../../src/manage/sign-in/discovery.ts";
import { consoleFiles } from "../../../src/manage/console-files.ts";

let directory: string;
let files: string[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "console-"));
  await buildConsole(directory);
  files = readdirSync(directory);
});

const parseBody = (): Promise<never> => Promise.reject(new Error("a request for a file has no body"));

function request(path: string, more: Partial<ApiRequest> = {}, from = directory): Promise<ApiResponse> {
  const empty = { id: "1", method: "GET", query: new URLSearchParams(), parameters: {}, headers: {} };
  return consoleFiles({ directory: from, signIn: byLink })({ ...empty, parseBody, path, ...more });
}

const byLink = { sign_in: "token", link_command: "npm run -s admin -- operator link" } as const;

/** A request to a page whose people sign in with a provider. */
function requestWithProvider(path: string, signIn: () => Promise<OidcSignIn>): Promise<ApiResponse> {
  const get = { id: "1", method: "GET", query: new URLSearchParams(), parameters: {}, headers: {}, parseBody };
  return consoleFiles({ directory, signIn })({ ...get, path });
}

const unreachable = (): Promise<never> => Promise.reject(new Error("timeout"));

const provider: OidcSignIn = {
  sign_in: "oidc",
  issuer: "https://login.example.com",
  authorization_endpoint: "https://login.example.com/authorize",
  token_endpoint: "https://tokens.example.com/oauth2/token",
  client_id: "agent-runs",
  scope: "openid",
  sign_out_url: null,
};

const find = (pattern: RegExp): string => files.find((name) => pattern.test(name)) ?? "";

test("index.html loads its own files only, and has no inline script or style", () => {
  const html = readFileSync(join(directory, "index.html"), "utf8");
  const loaded = [...html.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, path = ""]) => path.replace("/console/", ""));
  expect(loaded.length).toBeGreaterThan(2);
  expect(files).toEqual(expect.arrayContaining(loaded));
  expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]* src="\/console\/)|"https?:/);
});

test("the style of the pages that configure is named for later, and nothing else is", () => {
  const html = readFileSync(join(directory, "index.html"), "utf8");
  const [, named = ""] = /<meta name="configure-style" content="\/console\/([^"]+)"/.exec(html) ?? [];
  expect(named).toBe(find(/^configure-style-.*\.css$/));
  expect(readFileSync(join(directory, named), "utf8")).toContain(".agents-table");
});

describe("the files of the page", () => {
  test("files with a hash are cached for a year", async () => {
    const { status, headers, body } = await request(`/console/${find(/^main-.*\.js$/)}`);
    expect({ status, ...headers }).toMatchObject({
      status: 200,
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    });
    expect(body).toHaveProperty("byteLength", readFileSync(join(directory, find(/^main-.*\.js$/))).length);
  });

  test.each([
    ["br, gzip", "br", brotliDecompressSync],
    ["gzip, br;q=0", "gzip", gunzipSync],
  ])(
    "a browser that accepts %s gets the compressed form of the build, with an ETag of its own",
    async (accepted, coding, decode) => {
      for (const [path, name] of [
        [`/console/${find(/^main-.*\.js$/)}`, find(/^main-.*\.js$/)],
        ["/console/runs", "index.html"],
      ] as const) {
        const accept = { "accept-encoding": accepted };
        const { status, headers, body } = await request(path, { headers: accept });
        expect({ status, ...headers }).toMatchObject({
          status: 200,
          "content-encoding": coding,
          vary: "accept-encoding",
        });
        const content = readFileSync(join(directory, name));
        expect(decode(body as Buffer).equals(content)).toBe(true);
        expect((body as Buffer).length).toBeLessThan(content.length * 0.6);
        const plain = await request(path);
        expect(plain.headers).toMatchObject({
          vary: "accept-encoding",
          etag: expect.not.stringMatching(headers["etag"] ?? ""),
        });
        expect(plain.headers).not.toHaveProperty("content-encoding");
        const again = await request(path, { headers: { ...accept, "if-none-match": headers["etag"] } });
        expect(again.status).toBe(304);
      }
    },
  );

  test.each(["/console/", "/console/runs", "/console/agents/3c130c82-5e94-4b40-9e85-974350e889a6"])(
    "%s is a page of the application",
    async (path) => {
      const { status, headers, body } = await request(path);
      expect({ status, type: headers["content-type"], cache: headers["cache-control"] }).toEqual({
        status: 200,
        type: "text/html; charset=utf-8",
        cache: "no-cache",
      });
      expect(body.toString()).toContain('<div id="app">');
      const again = await request(path, { headers: { "if-none-match": headers["etag"] } });
      expect([again.status, again.body]).toEqual([304, ""]);
    },
  );

  test("the policy forbids everything that the page does not need", async () => {
    const { headers } = await request("/console/");
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
        "frame-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    );
    expect(headers).toMatchObject({ "referrer-policy": "no-referrer", "x-content-type-options": "nosniff" });
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("config.json says how to sign in, without being cached", async () => {
    const { headers, body } = await request("/console/config.json");
    expect([JSON.parse(body.toString()), headers["cache-control"]]).toEqual([byLink, "no-store"]);
    const other = await requestWithProvider("/console/config.json", async () => provider);
    expect(JSON.parse(other.body.toString())).toEqual(provider);
  });

  test("the page may send requests to the provider's token endpoint, and a file of it to nothing else", async () => {
    const [page, file] = await Promise.all(
      ["/console/runs", `/console/${find(/^main-.*\.js$/)}`].map((path) =>
        requestWithProvider(path, async () => provider),
      ),
    );
    expect(page?.headers["content-security-policy"]).toContain("connect-src 'self' https://tokens.example.com;");
    expect(file?.headers["content-security-policy"]).toContain("connect-src 'self';");
  });

  test("a provider that does not respond is reported, and the page loads", async () => {
    const [config, page] = await Promise.all(
      ["/console/config.json", "/console/"].map((path) => requestWithProvider(path, unreachable)),
    );
    expect([config?.status, page?.status]).toEqual([502, 200]);
    expect(config?.body.toString()).toContain("The sign-in provider does not respond as expected");
  });

  test("the address without a slash leads to the page", async () => {
    const { status, headers } = await request("/console");
    expect([status, headers["location"]]).toEqual([308, "/console/"]);
  });

  test.each([
    "/console/main-AAAAAAAA.js",
    "/console/../package.json",
    "/console/..%2fpackage.json",
    "/console/x/../../../package.json",
    "/console/index.html.map",
    "/console/main.js",
    "/console/index.html.br",
  ])("%s is not found", async (path) => {
    const { status, body } = await request(path);
    expect([status, body.toString().includes("agent-run-service")]).toEqual([404, false]);
  });

  test("only GET and HEAD are allowed", async () => {
    expect(await request("/console/", { method: "POST" })).toMatchObject({
      status: 405,
      headers: { allow: "GET, HEAD" },
    });
    expect(await request("/console/", { method: "HEAD" })).toMatchObject({ status: 200, body: "" });
  });

  test("a page that was not built is explained", async () => {
    const { status, body } = await request("/console/", {}, join(directory, "missing"));
    expect([status, body.toString()]).toEqual([503, expect.stringContaining("node scripts/build-console.ts")]);
  });
});
