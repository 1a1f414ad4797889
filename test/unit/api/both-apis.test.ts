import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { StoreUnavailable } from "../../../src/errors.ts";
import { extRouter } from "../../../src/ext/router.ts";
import type { ApiHandler } from "../../../src/http/handler.ts";
import type { SharedSchemas } from "../../../src/http/rest/schemas/schema-types.ts";
import type { AllHandlers } from "../../../src/manage/call.ts";
import { manageRouter } from "../../../src/manage/router.ts";
import { describeDownloads } from "../../support/downloads.ts";
import { extService } from "../../support/ext-service.ts";
import { describeFolders } from "../../support/folders.ts";
import type { LocalService, RestCaller } from "../../support/local-service.ts";
import { manageService } from "../../support/manage-service.ts";

// What is the same in the extension API and in the management API: the router, and the handlers of `src/operations`.

type Service = LocalService & { call: RestCaller };

/** The fields that the tests read of runs of both APIs. */
interface Run {
  id: string;
  name: string;
  state: string;
  turn: number;
  queued_inputs: number;
}

interface RunPage {
  data: Run[];
  next: string | null;
}

const throws = (error: Error) => () => Promise.reject(error);

/** By name. `agentField`: how a create names its agent. `failing`: the API, whose operation at `path` fails. */
const apis = {
  ext: {
    start: extService as () => Promise<Service>,
    agentField: "template_id",
    path: "/agent",
    failing: (error: Error, { platform }: Service): ApiHandler => extRouter({ get_agent: throws(error) }, platform),
    credential: ({ apiKey }: Service) => ({ "x-api-key": apiKey }),
    unknownPaths: ["", "/", "/agents", "/runs/x/y/z/a"],
    methods: [
      ["DELETE", "/runs", "POST, GET, HEAD, OPTIONS"],
      ["PUT", "/agent", "GET, HEAD, OPTIONS"],
      ["POST", "/openapi.json", "GET, HEAD, OPTIONS"],
    ],
  },
  manage: {
    start: manageService as () => Promise<Service>,
    agentField: "agent_id",
    path: "/me",
    failing: (error: Error, { platform }: Service): ApiHandler => {
      const caller = { actor: "a", name: "a", role: "viewer" } as const;
      const handlers = { get_me: throws(error) } as unknown as AllHandlers;
      return manageRouter(handlers, () => Promise.resolve(caller), platform);
    },
    credential: () => ({}),
    unknownPaths: ["", "/", "/nothing", "/agents/a/b/c"],
    methods: [
      ["DELETE", "/agents", "GET, POST, HEAD, OPTIONS"],
      ["PUT", "/organizations/x/model/test", "POST, OPTIONS"],
      ["DELETE", "/runs/counts", "GET, HEAD, OPTIONS"],
      ["POST", "/openapi.json", "GET, HEAD, OPTIONS"],
    ],
  },
} as const;

const note = "Bring coffee.";

describe.each(["ext", "manage"] as const)("/%s/v1", (name) => {
  const api = apis[name];
  let service: Service;
  /** Path of a finished run of five steps with an uploaded file. */
  let finished: string;
  beforeAll(async () => {
    service = await api.start();
    const files = [{ filename: "note.txt", content_base64: Buffer.from(note).toString("base64") }];
    finished = `/runs/${await started({ input_text: "Read.\ndemo: steps=4", files })}`;
    await untilFinished(finished);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const create = (body: object, headers: Record<string, string> = {}) =>
    service.call<Run & { code?: string }>("POST", "/runs", {
      body: { name: "Run", [api.agentField]: service.templateId, ...body },
      headers,
    });
  async function started(body: object): Promise<string> {
    const { status, body: run } = await create(body);
    expect(status).toBe(201);
    return run.id;
  }
  const get = async <Body>(path: string): Promise<Body> => (await service.call<Body>("GET", path)).body;
  const untilFinished = async (path: string): Promise<void> => {
    const isFinished = async () => expect((await get<Run>(path)).state).toBe("finished");
    await vi.waitFor(isFinished, { interval: 10, timeout: 25_000 });
  };
  async function outcome(method: string, path: string, body?: object): Promise<[number, unknown]> {
    const response = await service.call(method, path, body === undefined ? {} : { body });
    return [response.status, response.body["code"]];
  }

  describe("requests", () => {
    test.each(api.unknownPaths)("of an unknown path are 404: %s", async (path) => {
      expect(await outcome("GET", path)).toEqual([404, "not_found"]);
    });

    test.for([...api.methods])("with another method are 405: %s %s", async ([method, path, allow]) => {
      const { status, headers, body } = await service.call(method, path);
      expect([status, headers.get("allow"), body["code"]]).toEqual([405, allow, "method_not_allowed"]);
    });

    test("have answers that are neither cached nor sniffed, with a request id", async () => {
      for (const path of [api.path, "/nothing"]) {
        const { headers } = await service.call("GET", path);
        expect(headers.get("cache-control")).toBe("no-store");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      }
    });

    test("of the document need no credential", async () => {
      const { status, body } = await service.call("GET", "/openapi.json", { token: null });
      expect([status, body["openapi"]]).toEqual([200, "3.1.0"]);
    });

    test.for([
      ["the store is unavailable", new StoreUnavailable("throttled"), 503, "store_unavailable", "5"],
      ["something unexpected happens", new Error("secret detail"), 500, "internal_error", undefined],
    ] as const)("fail when %s, without its text", async ([, error, status, code, retryAfter]) => {
      const { headers, body, ...response } = await api.failing(
        error,
        service,
      )({
        id: "request-1",
        method: "GET",
        path: `/${name}/v1${api.path}`,
        query: new URLSearchParams(),
        parameters: {},
        headers: api.credential(service),
        parseBody: (parse) => parse(""),
      });
      expect([response.status, headers["retry-after"], headers["x-request-id"]]).toEqual([
        status,
        retryAfter,
        "request-1",
      ]);
      expect(JSON.parse(String(body))).toMatchObject({ code });
      expect(String(body)).not.toContain(error.message);
    });
  });

  describe("a run", () => {
    test("is created once with an idempotency key, and another body is refused", async () => {
      const headers = { "idempotency-key": "order-1" };
      const [first, again] = [
        await create({ labels: { a: "b" } }, headers),
        await create({ labels: { a: "b" } }, headers),
      ];
      expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
      expect([first, again].map((each) => each.headers.get("idempotent-replayed"))).toEqual([null, "true"]);
      expect(await create({}, headers)).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
      const malformed = await create({}, { "idempotency-key": "a b" });
      expect(malformed).toMatchObject({ status: 422, body: { code: "invalid_argument" } });
    });

    test("has a webhook only if its agent has one", async () => {
      const webhook = { url: "https://example.com" };
      expect(await create({ webhook })).toMatchObject({ status: 422, body: { code: "webhook_not_configured" } });
    });

    test("queues at most 20 inputs", async () => {
      const path = `/runs/${await started({ input_text: "demo: steps=90 delay=100" })}`;
      for (let count = 1; count <= 20; count++) {
        const { status, body } = await service.call<Run>("POST", `${path}/input`, { body: { input_text: "More." } });
        expect([status, body.queued_inputs]).toEqual([202, count]);
      }
      expect(await outcome("POST", `${path}/input`, { input_text: "More." })).toEqual([409, "queue_full"]);
      await service.call("POST", `${path}/stop`);
    });

    test.for([
      ["GET", ""],
      ["POST", "/stop"],
      ["DELETE", ""],
      ["GET", "/events"],
      ["GET", "/files"],
      ["GET", "/files/a.txt"],
    ] as const)("that does not exist is 404: %s /runs/ID%s", async ([method, path]) => {
      const unknown = "/runs/00000000-0000-4000-8000-000000000001";
      expect(await outcome(method, `${unknown}${path}`)).toEqual([404, "run_not_found"]);
      expect((await outcome(method, `/runs/no-id${path}`))[0]).toBe(422);
    });
  });

  describe("lists of runs", () => {
    test("have the newest first, in pages, and are filtered", async () => {
      const since = new Date().toISOString();
      for (const each of ["Alpha", "Beta", "Gamma"]) await started({ name: each });
      const names = async (query: string) =>
        (await get<RunPage>(`/runs?since=${since}&${query}`)).data.map((run) => run.name);
      expect(await names("limit=50")).toEqual(["Gamma", "Beta", "Alpha"]);
      expect(await names("status=waiting_for_input&q=be")).toEqual(["Beta"]);
      expect(await names("status=technical_error")).toEqual([]);
      const seen: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const page: RunPage = await get(`/runs?since=${since}&limit=1${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.data.map((run) => run.name));
        cursor = page.next;
      }
      expect(seen).toEqual(["Gamma", "Beta", "Alpha"]);
    });

    test.for([
      ["cursor=x", "invalid_argument"],
      ["since=2026-02-31T00:00:00Z", "invalid_argument"],
      ["status=bad", "invalid_request"],
      ["limit=201", "invalid_request"],
      ["label=customer", "invalid_request"],
    ])("with %s are 422", async ([query, code]) => {
      expect(await outcome("GET", `/runs?${query}`)).toEqual([422, code]);
    });
  });

  describe("events", () => {
    test("are listed in order and in pages", async () => {
      type EventPage = SharedSchemas["EventPage"];
      const { data, next } = await get<EventPage>(`${finished}/events`);
      expect(next).toBeNull();
      expect(data.map(({ sequence }) => sequence)).toEqual(data.map((_, index) => index + 1));
      expect([data[0]?.type, data[1]?.type, data.at(-1)?.type]).toEqual(["input", "model_call", "output"]);
      expect(data[0]).toMatchObject({ text: "Read.\ndemo: steps=4", agent_version: 1, turn: 1 });
      expect(data[1]).toMatchObject({
        step: 1,
        tool_calls: [{ name: "list_files", arguments: "{}" }],
        model: "demo",
        ended: null,
        agent_version: 1,
        configuration: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      });
      const paged: unknown[] = [];
      let after: string | null = "0";
      while (after !== null) {
        const page: EventPage = await get(`${finished}/events?after=${after}&limit=3`);
        expect(page.data.length).toBeLessThanOrEqual(3);
        paged.push(...page.data);
        after = page.next;
      }
      expect(paged).toEqual(data);
      for (const last of [data.length, 9999]) {
        expect(await get(`${finished}/events?after=${last}`)).toEqual({ data: [], next: null });
      }
      const short = await get<EventPage>(`${finished}/events?max_text=3`);
      expect(short.data[0]).toMatchObject({ text: "Rea", cut: { text: 19 } });
    });
  });

  describe("files", () => {
    type FilePage = SharedSchemas["RunFilePage"];
    const steps = ({ data }: FilePage) => data.map((file) => [file.name, file.changed_at_step]);

    test("are listed now and after a step, with the step that changed them, also in later turns", async () => {
      const now = await get<FilePage>(`${finished}/files`);
      expect(steps(now)).toEqual([
        ["demo-scratch.txt", expect.stringMatching(/^1\.\d$/)],
        ["note.txt", null],
      ]);
      const before = await get<FilePage>(`${finished}/files?at=1.0`);
      expect(before.data.map((file) => [file.name, file.size])).toEqual([["note.txt", note.length]]);
      expect(await get(`${finished}/files?at=1.5`)).toEqual(now);
      await service.call("POST", `${finished}/input`, { body: { input_text: "Thanks." } });
      await untilFinished(finished);
      expect(steps(await get<FilePage>(`${finished}/files`))).toEqual(steps(now));
    });

    test("are downloads, whatever they contain", async () => {
      const { status, headers, body } = await service.call<string>("GET", `${finished}/files/note.txt`);
      expect([status, body]).toEqual([200, note]);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": "application/octet-stream",
        "content-disposition": "attachment; filename*=UTF-8''note.txt",
        "x-content-type-options": "nosniff",
        "content-security-policy": "sandbox",
      });
      expect(await get(`${finished}/files/note%2Etxt?at=1.0`)).toBe(note);
    });

    test("are found by a name in either Unicode form", async () => {
      const files = [{ filename: "Zoe\u0308.txt", content_base64: Buffer.from("here").toString("base64") }];
      const id = await started({ files });
      for (const each of ["Zo\u00eb.txt", "Zoe\u0308.txt"]) {
        expect(await get(`/runs/${id}/files/${encodeURIComponent(each)}`)).toBe("here");
      }
    });

    test.for([
      ["/files/other.txt", "file_not_found"],
      ["/files/demo-scratch.txt?at=1.1", "file_not_found"],
      ["/files?at=1.99", "step_not_found"],
      ["/files?at=9.1", "step_not_found"],
    ])("%s is 404", async ([path, code]) => {
      expect(await outcome("GET", `${finished}${path}`)).toEqual([404, code]);
    });
  });

  describeFolders(() => service);
  describeDownloads(() => service);
});
