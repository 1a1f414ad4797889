import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { lambdasFolder } from "../lib/bundling.ts";
import { writeBundles } from "../scripts/write-bundles.ts";
import type { RequiredEnvName } from "../src/env.ts";
import type { ConsoleRoles, SignIn } from "../src/manage/sign-in/sign-in-types.ts";
import { newDataDir } from "./servers.ts";
import { median, type Row } from "./table.ts";

// The time from starting to load the code to having the handler, in a fresh process; and the time of the processor.
const script = `
  const [start, used] = [performance.now(), process.cpuUsage()];
  const { handler } = require(process.argv[1]);
  const milliseconds = performance.now() - start;
  const { user, system } = process.cpuUsage(used);
  if (typeof handler !== "function") throw new Error("no handler");
  console.log(JSON.stringify({ milliseconds, processor: (user + system) / 1000 }));
`;

/** What `lib/` sets. */
const stackVariables: Record<RequiredEnvName, string> = {
  TABLE_NAME: "table",
  BUCKET_NAME: "bucket",
  STATE_MACHINE_ARN: "arn:aws:states:eu-central-1:123456789012:stateMachine:turns",
  RETENTION_DAYS: "90",
  SECRET_PREFIX: "agent-run-service/prod/",
  ORIGIN_SECRET_ARNS: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:origin",
  MAX_UPLOAD_BYTES: "104857600",
  DELIVERY_QUEUE_URL: "https://sqs.eu-central-1.amazonaws.com/123456789012/deliveries",
  DELIVERY_QUEUE_ARN: "arn:aws:sqs:eu-central-1:123456789012:deliveries",
  DELIVERY_SCHEDULE_GROUP: "deliveries",
  DELIVERY_SCHEDULE_ROLE_ARN: "arn:aws:iam::123456789012:role/schedules",
  SIGN_IN: JSON.stringify({ issuer: "https://example.com", clientId: "page", scope: "openid" } satisfies SignIn),
  CONSOLE_ROLES: JSON.stringify({ claim: "groups", operators: [], viewers: [] } satisfies ConsoleRoles),
  SERVICE_STACK: "AgentRunService-prod",
  SERVICE_URL: "https://example.com",
};

const environment = {
  ...stackVariables,
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  AWS_SECRET_ACCESS_KEY: "example",
};

/** Milliseconds to load, for functions whose cold start a user notices. */
const targets: Record<string, number> = { create: 100, get: 100, advance: 250 };

interface LoadedBundle {
  name: string;
  folder: string;
  /** Of each load, in milliseconds. `processor`: without waits for a busy machine. */
  loads: { milliseconds: number; processor: number }[];
}

/** Bundles all functions, and loads each so many times in a fresh process, in alternating rounds. */
export function loadBundles(samples: number): LoadedBundle[] {
  const folder = newDataDir();
  const functions = Object.keys(writeBundles(folder))
    .filter((name) => /^export .*\bhandler\b/m.test(readFileSync(join(lambdasFolder, `${name}.ts`), "utf8")))
    .map((name): LoadedBundle => ({ name, folder: join(folder, name), loads: [] }));
  for (let round = 0; round < samples; round++) {
    for (const each of functions) each.loads.push(load(join(each.folder, "index.js")));
  }
  return functions;
}

export async function measureBundles({ samples }: { samples: number }): Promise<Row[]> {
  const functions = loadBundles(samples);
  const sizes = functions.map(({ name, folder }): Row => {
    return { name: `${name}: bundle`, unit: "KB", service: bytesOf(name, folder) / 1_024 };
  });
  const inits = functions.map(({ name, loads }): Row => {
    const atMost = targets[name];
    const target = atMost === undefined ? undefined : { atMost };
    return {
      name: `${name}: init`,
      unit: "ms",
      service: median(loads.map(({ milliseconds }) => milliseconds)),
      target,
    };
  });
  return [...sizes, ...inits];
}

/** Size of the code that a cold start reads; for the sandbox, of everything that is deployed. */
function bytesOf(name: string, folder: string): number {
  if (name !== "run-program") return statSync(join(folder, "index.js")).size;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function load(file: string): LoadedBundle["loads"][number] {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["-e", script, file], {
    env: { ...environment, PATH: process.env["PATH"] },
    encoding: "utf8",
  });
  // Node also prints the line of the bundle that threw, which can be a megabyte long.
  if (status !== 0) throw new Error(`${file} does not load: ${/^\w*Error: .*/m.exec(stderr)?.[0]}`);
  return JSON.parse(stdout) as LoadedBundle["loads"][number];
}
