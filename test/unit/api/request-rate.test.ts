import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { requestRate } from "../../../src/accounts/request-rate.ts";
import type { RunQuery } from "../../../src/runs/run-types.ts";
import { created, onTurn } from "../../platform/run-fixtures.ts";
import { keyOfOtherAgent } from "../../support/other-agent.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";

/** Five requests fill the bucket of a key. */
const requestsPerKey = 1;

let service: ManageService;
beforeAll(async () => {
  service = await manageService({ requestsPerKey });
});
afterAll(() => service[Symbol.asyncDispose]());

interface Sent {
  token: string;
  body?: object;
}

function send(method: string, path: string, { token, body }: Sent): Promise<Response> {
  return fetch(`${service.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const unknownRun = "00000000-0000-4000-8000-00000000000f";
const mcpRequest = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
const message = expect.stringMatching(/^too many requests: this key may send 1 per second/) as string;

describe("a key or operator that sends too many requests gets 429 with Retry-After, in the format of the API:", () => {
  test.each<[string, string, string, "apiKey" | "viewerToken", object | undefined, object]>([
    ["v1", "GET", `/v1/agents/${unknownRun}`, "apiKey", undefined, { detail: message }],
    ["v1, a create", "POST", "/v1/agents", "apiKey", { name: "n" }, { detail: message }],
    ["the extension API", "GET", "/ext/v1/agent", "apiKey", undefined, { detail: message, code: "too_many_requests" }],
    ["MCP", "POST", "/mcp", "apiKey", mcpRequest, { error: { message, data: { code: "too_many_requests" } } }],
    ["management", "GET", "/manage/v1/me", "viewerToken", undefined, { detail: message, code: "too_many_requests" }],
  ])("%s", async (_name, method, path, token, body, expected) => {
    const sent = { token: service[token], ...(body && { body }) };
    const responses = await Promise.all(Array.from({ length: 20 }, () => send(method, path, sent)));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(10);
    for (const response of refused) {
      expect(response.headers.get("retry-after")).toBe("1");
      expect(await response.json()).toMatchObject(expected);
    }
    if (path.startsWith("/v1/")) expect(Object.keys(expected)).toEqual(["detail"]);
  });

  test("another key and another operator are not affected", async () => {
    const other = await keyOfOtherAgent(service.platform.accounts, service.templateId);
    let status = 200;
    for (let sent = 0; status === 200 && sent < 1_000; sent++)
      ({ status } = await send("GET", "/ext/v1/agent", { token: service.apiKey }));
    expect(status).toBe(429);
    expect((await send("GET", "/ext/v1/agent", { token: other })).status).toBe(200);
    expect((await send("GET", "/manage/v1/me", { token: service.operatorToken })).status).toBe(200);
  });
});

describe("lists and searches cost what they read", () => {
  test("a search that reads 1,000 runs is paid by the requests after it", async () => {
    const rate = 1;
    await using searched = await manageService({ requestsPerKey: rate });
    const { runs } = searched.platform;
    const { id: agentId, organizationId } = (await searched.platform.accounts.findAgent(searched.templateId)) ?? {};
    const owner = { agentId: agentId ?? "", organizationId: organizationId ?? "" };
    await Promise.all(Array.from({ length: 1_000 }, (_, createdAt) => created(runs, { ...owner, createdAt })));
    for (const [path, token] of [
      ["/ext/v1/runs?q=nothing", searched.apiKey],
      ["/manage/v1/runs?status=terminated", searched.operatorToken],
      ["/manage/v1/runs/counts?q=nothing", searched.viewerToken],
    ] as const) {
      const get = () => fetch(searched.baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
      const first = await get();
      expect([path, first.status]).toEqual([path, 200]);
      await first.text();
      const { status, headers } = await get();
      expect([path, status]).toEqual([path, 429]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(4 / rate); // five seconds' worth is the most that is owed
    }
  });

  test("the list of runs that wait for answers is paid by the requests after it", async () => {
    await using asked = await manageService({ requestsPerKey: 1 });
    const { runs, accounts } = asked.platform;
    const { id: agentId = "", organizationId = "" } = (await accounts.findAgent(asked.templateId)) ?? {};
    for (let count = 0; count < 200; count++) {
      const run = await created(runs, { agentId, organizationId });
      const asks = { askedUntil: Date.now() + 3_600_000, pauses: 1, worked: 20 };
      await runs.change({ ...onTurn(run), set: { status: "running", turn: run.turn, updatedAt: 30, asks } });
    }
    const list = () =>
      fetch(`${asked.baseUrl}/manage/v1/runs/waiting`, { headers: { authorization: `Bearer ${asked.operatorToken}` } });
    expect((await list()).status).toBe(200);
    const { status, headers } = await list();
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(4);
  });

  test("of many searches that are asked for together, those that the rate does not allow are not begun", async () => {
    await using searched = await manageService({ requestsPerKey: 1_000 });
    const { runs } = searched.platform;
    const { id: agentId = "", organizationId = "" } =
      (await searched.platform.accounts.findAgent(searched.templateId)) ?? {};
    await Promise.all(
      Array.from({ length: 1_000 }, (_, createdAt) => created(runs, { agentId, organizationId, createdAt })),
    );
    const search = () =>
      fetch(`${searched.baseUrl}/ext/v1/runs?q=nothing`, { headers: { authorization: `Bearer ${searched.apiKey}` } });
    await search();
    // On a busy machine, the searches take seconds, in which the rate allows more of them.
    const [began, elapsed] = [performance.now(), performance.now.bind(performance)];
    using _slower = vi.spyOn(performance, "now").mockImplementation(() => began + (elapsed() - began) / 100);
    const statuses = await Promise.all(Array.from({ length: 300 }, async () => (await search()).status));
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(150);
  });

  test("a list with a filter reads in pieces, between which other requests are handled", async () => {
    const { runs } = service.platform;
    const agentId = "00000000-0000-4000-8000-0000000000aa";
    await Promise.all(Array.from({ length: 2_000 }, (_, createdAt) => created(runs, { agentId, createdAt })));
    const reading = { done: false };
    const query: RunQuery = { agentIds: [agentId], statuses: ["terminated"], limit: 20 };
    const lists = Promise.all([runs.list(query), runs.list(query)]).finally(() => (reading.done = true));
    let turns = 0;
    for (; !reading.done; turns++) await setImmediate();
    expect((await lists).map((page) => page.runs)).toEqual([[], []]);
    expect(turns).toBeGreaterThanOrEqual(40); // 100 rows in each, whichever list they are for
  });
});

function atRate(perSecond: number) {
  let now = 0;
  const rate = requestRate(perSecond, () => now);
  return {
    ask: (): number => {
      try {
        rate.admit("key");
        return 0;
      } catch (error) {
        return (error as { retryAfterSeconds: number }).retryAfterSeconds;
      }
    },
    list: () => rate.beginList("key"),
    wait: (seconds: number) => (now += seconds * 1_000),
  };
}

describe("the bucket", () => {
  test("gives five seconds' requests at once, then the rate", () => {
    const { ask, wait } = atRate(10);
    expect(Array.from({ length: 51 }, ask)).toEqual([...Array.from({ length: 50 }, () => 0), 1]);
    wait(0.1);
    expect([ask(), ask()]).toEqual([0, 1]);
    wait(3_600);
    expect(Array.from({ length: 51 }, ask).filter((seconds) => seconds > 0)).toEqual([1]);
  });

  test("owes five seconds at most, however much a list has read", () => {
    const { ask, list, wait } = atRate(10);
    list()(1e9);
    expect(ask()).toBe(6); // 5 s of debt, and a tenth for the request itself
    wait(5.1);
    expect([ask(), ask()]).toEqual([0, 1]);
  });

  test("lets a hundred lists begin together, and gets back what they did not read", () => {
    const { ask, list } = atRate(1_000);
    const begin = () => (ask(), list());
    const begun = Array.from({ length: 98 }, begin); // 50 tokens each, and one for the request
    expect(begin).toThrow(/^too many requests/);
    for (const charge of begun) charge(0);
    for (const charge of begun) charge(240); // 0.2 tokens each
    expect(Array.from({ length: 199 }, ask).filter((seconds) => seconds > 0)).toEqual([1]);
  });

  test("lets a list begin each second at a rate of one request per second", () => {
    const { ask, list, wait } = atRate(1);
    const outcomes = Array.from({ length: 60 }, () => {
      wait(1);
      if (ask() > 0) return "refused";
      try {
        list()(1);
        return "read";
      } catch {
        return "refused";
      }
    });
    expect(outcomes.filter((outcome) => outcome === "read").length).toBeGreaterThan(50);
  });
});
