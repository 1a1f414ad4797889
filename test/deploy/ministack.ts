import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { forwardTo } from "./forwarder.ts";
import { folder, ministackLog } from "./phases.ts";
import { environment, root, run, start, succeed } from "./processes.ts";

const requirements = join(root, "test", "deploy", "requirements.txt");
const venv = join(folder, "venv");
const minimumPython = [3, 10]; // required by MiniStack

/** Creates the virtual environment, unless one with the same requirements exists. */
export async function install(): Promise<void> {
  const python = await findPython();
  const stamp = join(venv, "made-from.txt");
  const wanted = `${python.version.join(".")}\n${readFileSync(requirements, "utf8")}`;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  rmSync(venv, { recursive: true, force: true });
  await succeed(python.command, ["-m", "venv", venv]);
  await succeed(join(venv, "bin", "pip"), ["install", "--quiet", "--disable-pip-version-check", "-r", requirements]);
  writeFileSync(stamp, wanted);
}

async function findPython(): Promise<{ command: string; version: number[] }> {
  const probe = "import sys, venv, ensurepip; print(*sys.version_info[:2])";
  const tried: string[] = [];
  for (const command of ["python3", "python"]) {
    const found = await run(command, ["-c", probe]).catch(() => undefined);
    const version = (found?.stdout.trim() ?? "").split(" ").map(Number);
    const [major = 0, minor = 0] = version;
    if (found?.status === 0 && major === minimumPython[0] && minor >= Number(minimumPython[1]))
      return { command, version };
    tried.push(
      found === undefined ? `${command}: not found` : `${command}: ${found.stdout.trim()}${found.stderr.trim()}`,
    );
  }
  throw new Error(
    `the deploy test needs Python ${minimumPython.join(".")} or newer with venv and pip (${tried.join("; ")}). ` +
      "On Debian and Ubuntu: apt-get install python3 python3-venv",
  );
}

/**
 * Starts MiniStack on a free local port, in the mode that checks every call against the caller's policies. Resolves when
 * it answers, with the address of a forwarder that marks each request as TLS: the bucket policies deny others.
 */
export async function startMiniStack(): Promise<string> {
  const port = await freePort();
  const local = { hostname: "127.0.0.1", port: String(port) };
  const { url: endpoint } = await forwardTo(local, { "x-forwarded-proto": "https" });
  // Outside the project, whose package.json would make Node load the functions' code as ES modules.
  const temporary = mkdtempSync(join(tmpdir(), "deploy-test-"));
  process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));
  const log = createWriteStream(ministackLog);
  const child = start(join(venv, "bin", "ministack"), [], {
    env: environment({
      BIND_HOST: "127.0.0.1",
      GATEWAY_PORT: String(port),
      TMPDIR: temporary,
      AUTH: "true",
      AWS_ENDPOINT_URL: endpoint, // for the functions' own calls
      // CDK's own functions import the AWS SDK from the runtime, which includes it on AWS.
      NODE_PATH: join(root, "node_modules"),
    }),
  });
  child.stdout?.pipe(log);
  child.stderr?.pipe(log);

  for (; child.exitCode === null; await sleep(100)) {
    const answer = await fetch(`${endpoint}/_ministack/health`).catch(() => undefined);
    if (answer?.ok) return endpoint;
  }
  throw new Error(`MiniStack ended with ${child.exitCode}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
