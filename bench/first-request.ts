import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { encodeMessage } from "../src/sandbox/codec.ts";
import { type AwsHome, awsHome, environment } from "./aws-home.ts";
import { buildBundles } from "./bundles.ts";
import { median, type Row } from "./table.ts";

const run = promisify(execFile);

// In the fresh process: from the first line of code to a handler, and from the event to its answer.
const script = `
  const begun = performance.now();
  const { handler } = require(process.argv[1]);
  const ready = performance.now();
  const event = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  Promise.resolve(handler(event, { getRemainingTimeInMillis: () => 900_000 })).then((answer) => {
    const done = performance.now();
    // VmHWM begins with the process; getrusage's maximum is inherited from whoever started it.
    const linux = process.platform === "linux";
    const peak = () => Number(/VmHWM:\\s+(\\d+)/.exec(require("node:fs").readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
    const memory = linux ? peak() : process.memoryUsage.rss() / 2 ** 20;
    console.log(JSON.stringify({ start: ready - begun, first: done - ready, memory, status: answer?.statusCode }));
    process.exit(0);
  });
`;

/** Times in milliseconds. `memory`: MB that were resident at most. */
interface First {
  start: number;
  first: number;
  memory: number;
  status?: number;
}

/** A first event for each function, and the status of its answer; made anew each time, as a turn ends only once. */
const firstEvents: Record<string, { event: (home: AwsHome) => Promise<object> | object; status?: number }> = {
  create: { event: (home) => home.events.create(0), status: 201 },
  get: { event: async (home) => home.events.get(await home.create(0)), status: 200 },
  openapi: { event: (home) => home.events.get("-"), status: 200 },
  "not-found": { event: (home) => ({ ...home.events.get("-"), rawPath: "/v2" }), status: 404 },
  advance: { event: async (home) => ({ runId: await home.create(0), turn: 1 }) },
  fail: { event: async (home) => ({ runId: await home.create(0), turn: 1, error: "States.Timeout", cause: "" }) },
  reconcile: { event: async (home) => ({ detail: ended(await home.create(0)) }) },
  sweep: { event: () => ({}) },
  sandbox: {
    event: () => ({ request: encodeMessage({ engine: "javascript", program: "1 + 1", files: [], seconds: 10 }) }),
  },
};

function ended(runId: string) {
  return { name: `${runId}-1`, status: "ABORTED", input: JSON.stringify({ runId, turn: 1 }) };
}

/** Each function started in a fresh process and asked once. Only the start of create and get has a target. */
export async function measureFirstRequests({ samples }: { samples: number }): Promise<Row[]> {
  const bundles = await buildBundles();
  const home = await awsHome({ delay: 0 });
  try {
    await home.thinkingFor(1);
    const rows: Row[] = [];
    for (const [name, file] of bundles) {
      const wanted = firstEvents[name];
      if (!wanted) throw new Error(`first-request.ts has no event for lambdas/${name}.ts: add one`);
      const times: First[] = [];
      for (let index = 0; index < samples; index++) {
        times.push(await ask(file, await wanted.event(home), home.endpoint.url, wanted.status));
      }
      const target = name === "create" || name === "get" ? { atMost: 100 } : undefined;
      const memory = median(times.map((time) => time.memory));
      rows.push(
        { name: `${name}: start`, unit: "ms", service: median(times.map(({ start }) => start)), target },
        { name: `${name}: first request`, unit: "ms", service: median(times.map(({ first }) => first)) },
        { name: `${name}: most memory`, unit: "MB", service: memory },
      );
    }
    rows.push(await largestCreate(bundles.get("create") ?? "", home));
    return rows;
  } finally {
    await home.close();
  }
}

/** Lambda takes events of 6 MB; more comes through the front door. */
async function largestCreate(file: string, home: AwsHome): Promise<Row> {
  const { event } = firstEvents["create"] ?? {};
  const created = (await event?.(home)) as { body: string };
  const body = JSON.parse(created.body) as object;
  const files = [{ filename: "large.bin", content_base64: Buffer.alloc(4_400_000, "large").toString("base64") }];
  const largest = { ...created, body: JSON.stringify({ ...body, files }) };
  const { memory } = await ask(file, largest, home.endpoint.url, 201);
  return { name: "create: most memory with an event of 6 MB", unit: "MB", service: memory };
}

async function ask(file: string, event: object, endpoint: string, status: number | undefined): Promise<First> {
  const running = run(process.execPath, ["-e", script, file], {
    env: { ...environment, AWS_ENDPOINT_URL: endpoint },
  });
  running.child.stdin?.end(JSON.stringify(event));
  const { stdout } = await running;
  // What the function wrote of its metrics comes before it.
  const times = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as First;
  if (times.status !== status) throw new Error(`${file} answered ${times.status}, not ${status}`);
  return times;
}
