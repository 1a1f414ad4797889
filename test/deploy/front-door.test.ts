import { afterAll, beforeAll, expect, test } from "vitest";
import { smokeTest } from "../../bin/deploy/smoke-test.ts";
import { sha256Of } from "../../src/agent/turn/files/manifest.ts";
import { type Bundle, startBundle } from "../integration/front-door/bundle.ts";
import { type Edge, startEdge } from "../integration/front-door/edge.ts";
import { type Agent, type Deployed, keepsTheContract, openDeployed } from "./deployed.ts";
import { deployedFrontDoor } from "./front-door.ts";
import { client, emulated } from "./service.ts";

// The upload server's bundle as two processes of this machine, with the environments and permissions that the stack would give
// the two web functions, and the stand-in for CloudFront, which shows them the secret that the deployed distribution has.
let deployed: Deployed;
let agent: Agent;
let bundle: Bundle;
let streams: Bundle;
let edge: Edge;
beforeAll(async () => {
  deployed = await openDeployed();
  agent = await deployed.newAgent("--provider", "demo");
  const front = await deployedFrontDoor();
  const { region, endpoint } = emulated();
  const aws = { AWS_REGION: region, AWS_ENDPOINT_URL: endpoint };
  bundle = await startBundle("web-function", { ...aws, ...front.creates });
  streams = await startBundle("web-function", { ...aws, ...front.streams });
  edge = await startEdge({
    small: { baseUrl: endpoint, host: front.host },
    large: { baseUrl: `http://127.0.0.1:${bundle.port}`, secret: front.secret },
    streamsUrl: `http://127.0.0.1:${streams.port}`,
  });
});
afterAll(async () => {
  await edge?.close();
  await bundle?.end();
  await streams?.end();
  deployed?.close();
});

/** What the upload server answered so far. */
function statuses(): unknown[] {
  return bundle.lines.filter(({ message }) => message === "request").map(({ status }) => status);
}

test(
  "the whole contract is kept through the front door, with 10 MiB and a byte more",
  { timeout: 600_000 },
  async () => {
    expect(await deployed.conformance(edge.baseUrl, agent)).toEqual(keepsTheContract);
    expect(statuses().length).toBe(edge.counts.large);
    expect(new Set(statuses())).toEqual(new Set([201, 413]));
    expect(edge.counts.small).toBeGreaterThan(50);
    console.log(`${edge.counts.large} creates went to the upload server, which took ${bundle.memory("VmHWM")} MB`);
  },
);

test("a run with 10 MiB of files is created by the upload server and ended by the state machine", async () => {
  const content_base64 = Buffer.alloc(1024 * 1024, "Line.\n").toString("base64");
  const files = Array.from({ length: 10 }, (_, index) => ({ filename: `file-${index}.txt`, content_base64 }));
  const before = edge.counts.large;
  const api = client(edge.baseUrl, agent.id, agent.key);
  const runId = await api.create("What is in the files?", files);
  expect(edge.counts.large).toBe(before + 1);
  const { loop_status, transcript } = await api.ended(runId);
  expect([loop_status, transcript.length]).toEqual(["finished", 2]);
  expect(transcript[1]?.text).toContain("file-9.txt");
  const hash = sha256Of(Buffer.from(content_base64, "base64"));
  expect(await deployed.objectsOf(runId)).toEqual([`workspaces/${runId}/.sha256-${hash}`]); // the files are the same
});

test("the events of a run arrive in one open stream, with the permissions of its server", async () => {
  const runId = await client(edge.baseUrl, agent.id, agent.key).create("What is in the files?");
  const headers = { authorization: `Bearer ${agent.key}`, accept: "text/event-stream" };
  const before = edge.counts.streams;
  const response = await fetch(`${edge.baseUrl}/ext/v1/runs/${runId}/events`, { headers });
  const text = await response.text(); // until the run has ended
  expect(text).toMatch(/event: end\ndata: \{"status":"finished"\}\n\n$/);
  expect([...text.matchAll(/^event: event\ndata: \{.*"type":"(\w+)"/gm)].length).toBeGreaterThan(2);
  expect(edge.counts.streams).toBe(before + 1);
  expect(streams.lines.filter(({ level }) => level === "error")).toEqual([]);
});

test("the smoke test passes, and the upload server responds to the large create", async () => {
  const lines: string[] = [];
  const io = { out: (text: string) => void lines.push(text), err: () => {} };
  expect(await smokeTest({ baseUrl: new URL(edge.baseUrl), uploads: "web-function" }, io)).toBe(true);
  expect(lines).toEqual([
    "ok       OpenAPI description: 200 from API Gateway",
    "ok       create without a key: 401 Missing API key from API Gateway",
    "ok       create of 4 MB with an unknown key: 401 Invalid API key from the web function",
    "ok       create of 14 MB with an unknown key: 401 Invalid API key from the web function",
    "ok       events with an unknown key: 401 Invalid API key from the web function",
    expect.stringMatching(/^ok {7}open stream: its parts arrived 1\.\d s apart, from the web function$/),
  ]);
});
