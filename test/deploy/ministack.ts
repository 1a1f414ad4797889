import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { forwardTo } from "./forwarder.ts";
import { environment, root, run, start, succeed } from "./processes.ts";

/** Kept between runs and ignored by git: the virtual environment, logs and what the CDK CLI writes. */
export const folder = join(root, ".deploy-test");

const requirements = join(root, "test", "deploy", "requirements.txt");
const venv = join(folder, "venv");
const oldest = [3, 10]; // Python: what MiniStack asks for
const readySeconds = 60;

/** Makes the virtual environment, unless the one that is there was made from the same requirements. */
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
    if (found?.status === 0 && major === oldest[0] && minor >= Number(oldest[1])) return { command, version };
    tried.push(
      found === undefined ? `${command}: not found` : `${command}: ${found.stdout.trim()}${found.stderr.trim()}`,
    );
  }
  throw new Error(
    `The deploy test needs Python ${oldest.join(".")} or newer with venv and pip, for the AWS emulator it deploys to ` +
      `(${tried.join("; ")}). Install it, on Debian and Ubuntu: apt-get install python3 python3-venv`,
  );
}

/**
 * Starts MiniStack on a free port of this machine, so that it checks every call against its caller's policies, as AWS
 * does. Resolves with its address when it answers: that of a forwarder, since buckets refuse what did not come by TLS.
 */
export async function startMiniStack(): Promise<string> {
  const port = await freePort();
  const local = { hostname: "127.0.0.1", port: String(port) };
  const { url: endpoint } = await forwardTo(local, { "x-forwarded-proto": "https" });
  // Outside of the project: Node would take the functions' code for ES modules, as our package.json says of all below it.
  const temporary = mkdtempSync(join(tmpdir(), "deploy-test-"));
  process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));
  const log = createWriteStream(join(folder, "ministack.log"));
  const child = start(join(venv, "bin", "ministack"), [], {
    env: environment({
      BIND_HOST: "127.0.0.1",
      GATEWAY_PORT: String(port),
      TMPDIR: temporary,
      AUTH: "true",
      AWS_ENDPOINT_URL: endpoint, // for the functions' own calls
      // CDK's own functions take the AWS SDK from the runtime, which has it on AWS.
      NODE_PATH: join(root, "node_modules"),
    }),
  });
  child.stdout?.pipe(log);
  child.stderr?.pipe(log);

  for (const begun = Date.now(); Date.now() - begun < readySeconds * 1_000; await sleep(100)) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`${endpoint}/_ministack/health`).catch(() => undefined);
    if (answer?.ok) return endpoint;
  }
  throw new Error(`MiniStack did not answer within ${readySeconds} s; see ${join(folder, "ministack.log")}`);
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
