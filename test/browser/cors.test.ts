import { expect, test } from "vitest";
import { httpServer } from "../support/http-server.ts";
import { own, ownService } from "./own-service.ts";

// Pages of other origins, as a browser lets them use the extension API.

const servePage = () =>
  httpServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html><title>App</title>"));

const [allowed, other] = [own(servePage), own(servePage)];
// The allowed origin is an option of the service.
const service = ownService({ args: () => ["--cors-origin", allowed.url] });

/** What a page at an address gets for requests with a token: `blocked` for those that its browser refuses. */
async function fetchedAt(url: string, token: string, requests: { path: string; method?: string; body?: string }[]) {
  const page = await service.newPage();
  await page.goto(url);
  const results = await page.evaluate(
    async ({ baseUrl, token: sent, requests: all }) => {
      const fetched: (string | number)[] = [];
      for (const { path, ...options } of all) {
        const headers = { authorization: `Bearer ${sent}`, "content-type": "application/json", "idempotency-key": "k" };
        const response = await fetch(baseUrl + path, { ...options, headers }).catch(() => undefined);
        fetched.push(response ? `${response.status} ${response.headers.has("x-request-id")}` : "blocked");
      }
      return fetched;
    },
    { baseUrl: service.baseUrl, token, requests },
  );
  await page.close();
  return results;
}

test("a page of the allowed origin uses the extension API with a token or a key, and a page of another none", async () => {
  const files = [{ filename: "a.txt", content_base64: Buffer.from("hello").toString("base64") }];
  const run = await service.endedRun({ name: "r", input_text: "x", files });
  const at = `/ext/v1/runs/${run}`;
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const created = await fetch(`${service.baseUrl}${at}/tokens`, { method: "POST", headers });
  const { token } = (await created.json()) as { token: string };

  const reads = ["", "?wait=20", "/events", "/files", "/files/a.txt"].map((path) => ({ path: at + path }));
  const stop = { path: `${at}/stop`, method: "POST" };
  expect(await fetchedAt(allowed.url, token, [...reads, stop])).toEqual([...reads.map(() => "200 true"), "403 true"]);
  expect(await fetchedAt(other.url, token, [...reads, stop])).toEqual([...reads, stop].map(() => "blocked"));

  const create = { path: "/ext/v1/runs", method: "POST", body: JSON.stringify({ name: "From a page" }) };
  const label = { path: at, method: "PATCH", body: JSON.stringify({ labels: { a: "b" } }) };
  const v1 = { path: `/v1/agents/${run}` };
  expect(await fetchedAt(allowed.url, service.apiKey, [create, label, v1])).toEqual([
    "201 true",
    "200 true",
    "blocked",
  ]);
});
