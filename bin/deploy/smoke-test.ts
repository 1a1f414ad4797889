import { lookup } from "node:dns/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { UploadHosting } from "../../lib/front-door/hosting.ts";
import { newToken } from "../../src/accounts/token.ts";
import type { Io } from "../cli.ts";
import { createBody, type Outcome, respondentOf } from "./respondent.ts";
import { testStream } from "./stream-test.ts";

/** A deployed service. */
interface Target {
  baseUrl: URL;
  /** A service compatible with AWS that receives the requests instead. It distinguishes APIs by their host. */
  endpoint?: string | undefined;
  /** Hosting of the upload server. `off`: no front door. */
  uploads: UploadHosting | "off";
}

interface Check {
  name: string;
  method: "GET" | "POST";
  path: string;
  body: Buffer;
  key?: string;
  accept?: string;
  status: number;
  detail: string;
  /** Only the upload server may respond. */
  large?: boolean;
}

/** Names of the server of large creates and streams. Its responses name no part of AWS. */
const serverNames = { "web-function": "the web function", fargate: "Fargate", off: "the service" };

/** A new domain, or a server that starts, can take some seconds until it responds. */
const attempts = 3;

/** Sends requests that create nothing, and prints who responds to each. Resolves with whether all passed. */
export async function smokeTest(target: Target, io: Io, pauseSeconds = 10): Promise<boolean> {
  let passed = true;
  for (const check of checksOf(target)) {
    const outcome = await repeat(
      () => send(target, check),
      (each) => passes(check, each),
      pauseSeconds,
    );
    const server = check.large ? serverNames[target.uploads] : serverNames.off;
    const received = describeOutcome(outcome, server);
    if (passes(check, outcome)) {
      io.out(`ok       ${check.name}: ${received}`);
    } else {
      io.out(`FAILED   ${check.name}: ${received}; expected ${responseOf(check)} from ${server}`);
      passed = false;
    }
  }
  return (await testStreams(target, io, pauseSeconds)) && passed;
}

/** The first outcome that passes, or the last one. */
async function repeat<Result>(
  request: () => Promise<Result>,
  isPassed: (outcome: Result) => boolean,
  pauseSeconds: number,
): Promise<Result> {
  let outcome = await request();
  for (let attempt = 1; attempt < attempts && !isPassed(outcome); attempt++) {
    await sleep(pauseSeconds * 1_000);
    outcome = await request();
  }
  return outcome;
}

/** Whether streams stay open, if the front door sends any. Prints it. */
async function testStreams({ baseUrl, uploads }: Target, io: Io, pauseSeconds: number): Promise<boolean> {
  if (uploads === "off") return true;
  const outcome = await repeat(
    () => testStream(baseUrl),
    ({ passed }) => passed,
    pauseSeconds,
  );
  const from = `from ${serverNames[uploads]}`;
  if (outcome.passed) io.out(`ok       open stream: ${outcome.detail}, ${from}`);
  else {
    io.out(
      `FAILED   open stream: ${outcome.detail}; expected two parts that arrive a second apart, ${from}. Another ` +
        `server: --context largeBodies=${uploads === "fargate" ? "web-function" : "fargate"}`,
    );
  }
  return outcome.passed;
}

/** The URL to test: a custom domain if it is in DNS, else CloudFront's own domain. */
export async function reachableUrl(baseUrl: string, cloudFrontDomain: string | undefined, io: Io): Promise<URL> {
  const url = new URL(baseUrl);
  if (cloudFrontDomain === undefined || (await lookup(url.hostname).catch(() => undefined))) return url;
  io.out(
    `note     ${url.hostname} is not in DNS. Create a CNAME record to ${cloudFrontDomain}, which is tested instead.`,
  );
  return new URL(`https://${cloudFrontDomain}`);
}

function checksOf({ uploads }: Target): Check[] {
  // CloudFront's function rejects a large create without a well-formed key before the upload.
  const key = newToken("ak").token;
  // 4 MB tells who responds to large creates. 14 MB is v1's largest create: a limit of 6 or 10 MB on the way shows.
  const sizes = uploads === "off" ? [2] : [4, 14];
  return [
    {
      name: "OpenAPI description",
      method: "GET",
      path: "/v1/openapi.json",
      body: Buffer.of(),
      status: 200,
      detail: "",
    },
    {
      name: "create without a key",
      method: "POST",
      path: "/v1/agents",
      body: Buffer.from("{}"),
      status: 401,
      detail: "Missing API key",
    },
    ...sizes.map((megabytes): Check => {
      const body = createBody(megabytes * 1_000_000, crypto.randomUUID());
      const name = `create of ${megabytes} MB with an unknown key`;
      return {
        method: "POST",
        path: "/v1/agents",
        status: 401,
        name,
        body,
        key,
        detail: "Invalid API key",
        large: uploads !== "off",
      };
    }),
    ...(uploads !== "off"
      ? [
          {
            name: "events with an unknown key",
            method: "GET" as const,
            path: `/ext/v1/runs/${crypto.randomUUID()}/events`,
            body: Buffer.of(),
            key,
            accept: "text/event-stream",
            status: 401,
            detail: "Invalid API key",
            large: true,
          },
        ]
      : []),
  ];
}

function send({ baseUrl, endpoint }: Target, { method, path, body, key, accept }: Check): Promise<Outcome> {
  const headers = {
    host: baseUrl.host,
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(accept !== undefined && { accept }),
  };
  const url = new URL(path, endpoint ?? baseUrl);
  return respondentOf({ method, url, headers, body });
}

function passes({ status, detail, large }: Check, outcome: Outcome): boolean {
  const fromServer = outcome.respondedBy === "service" && !(large && outcome.via);
  return fromServer && outcome.status === status && outcome.detail === detail;
}

function responseOf({ status, detail }: Pick<Check, "status" | "detail">): string {
  return `${status} ${detail}`.trim();
}

function describeOutcome({ respondedBy, via, status, detail }: Outcome, server: string): string {
  if (status === undefined) return detail;
  const text = detail.startsWith("<") ? "with an HTML page" : detail;
  return `${responseOf({ status, detail: text })} from ${respondedBy === "service" ? (via ?? server) : respondedBy}`;
}
