import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { bundleEnvironmentHandler } from "../../lib/bundling.ts";
import type { FunctionEvent } from "../../src/platform/aws/container/program-messages.ts";
import { httpServer } from "./http-server.ts";
import { installedRoot } from "./installed-root.ts";

/** Where Lambda's image has the code. */
const handlerFolder = "/usr/share/agent-environment/handler";

/** The answer of an invocation, or the error that the Runtime API received. */
export type Answer = { answer: unknown } | { error: { errorType: string; errorMessage: string } };

/** The real function of an environment, in a root file system of its own, with a stand-in for Lambda's Runtime API. */
export interface EnvironmentContainer extends AsyncDisposable {
  /** `milliseconds`: until Lambda's deadline. */
  invoke: (event: FunctionEvent, milliseconds?: number) => Promise<Answer>;
  /** Resolves when the function's process has ended. */
  ended: Promise<void>;
  /** What the process printed. */
  log(): string;
  /** Milliseconds from the start of the process to its first request. */
  startMilliseconds: Promise<number>;
}

export const testFacts = {
  name: "linux",
  digest: `sha256:${"0".repeat(64)}`,
  system: "Debian 13",
  programs: { bash: "5.2" },
  python: { version: "3.13.5", libraries: {} },
};

/** Why containers cannot be started here. Undefined: they can. */
export function containerProblem(): string | undefined {
  const { status } = spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"], {
    stdio: "ignore",
    ...user(),
  });
  if (status !== 0) return "bubblewrap is not installed, or cannot make user namespaces";
  return existsSync(join(rootFolder(), "usr/bin/python3")) ? undefined : `${rootFolder()} has no /usr/bin/python3`;
}

/** The installed environment, or this machine's own programs. */
const rootFolder = (): string => installedRoot() ?? "/";

/** As root, bubblewrap would be no wall. Lambda's functions have no rights either. */
function user() {
  return process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
}

let code: string | undefined;

/** The folder of what all containers of this process read: the function's code, Node.js and the facts. */
function codeFolder(): string {
  if (code !== undefined) return code;
  const folder = mkdtempSync(join(tmpdir(), "environment-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const path of [folder, tmpdir()]) chmodSync(path, statSync(path).mode | 0o011); // for the user without rights
  const handler = join(folder, "handler");
  mkdirSync(handler);
  bundleEnvironmentHandler(handler);
  const node = join(folder, "node");
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o111);
  writeFileSync(join(folder, "facts.json"), JSON.stringify(testFacts));
  return (code = folder);
}

export async function environmentContainer(memoryMegabytes = 2_048): Promise<EnvironmentContainer> {
  const waiting: { event: FunctionEvent; milliseconds: number; resolve: (answer: Answer) => void }[] = [];
  let asks: (() => void) | undefined;
  const running = new Map<string, (answer: Answer) => void>();
  const started = Promise.withResolvers<number>();
  const startedAt = performance.now();
  let invocations = 0;
  const api = await httpServer((request, response) => {
    const [, id = "", kind] = /^\/2018-06-01\/runtime\/invocation\/([^/]+)(?:\/(\w+))?$/.exec(request.url ?? "") ?? [];
    if (id === "next") {
      started.resolve(performance.now() - startedAt);
      asks = () => {
        const next = waiting.shift();
        if (!next) return;
        asks = undefined;
        const requestId = `request-${++invocations}`;
        running.set(requestId, next.resolve);
        response.setHeader("lambda-runtime-aws-request-id", requestId);
        response.setHeader("lambda-runtime-deadline-ms", String(Date.now() + next.milliseconds));
        response.end(JSON.stringify(next.event));
      };
      asks();
      return;
    }
    void text(request).then((body) => {
      const given = JSON.parse(body) as never;
      running.get(id)?.(kind === "error" ? { error: given } : { answer: given });
      running.delete(id);
      response.writeHead(202).end("{}");
    });
  });

  const child = spawn("bwrap", [...namespaces, ...rootBinds(codeFolder()), ...environment(api.port, memoryMegabytes)], {
    stdio: ["ignore", "pipe", "pipe", ...notOpen, "pipe"],
    env: { PATH: process.env["PATH"] }, // programs can read that of process 1, which is bubblewrap's
    ...user(),
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part: Buffer) => (printed += part.toString()));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  void ended.then(() => {
    for (const resolve of running.values()) {
      resolve({ error: { errorType: "Runtime.ExitError", errorMessage: `Runtime exited: ${printed.slice(-1_000)}` } });
    }
    started.reject(new Error(`the function did not start: ${printed.slice(-2_000)}`));
  });
  started.promise.catch(() => {}); // the caller of the function handles the rejection
  return {
    ended,
    log: () => printed,
    startMilliseconds: started.promise,
    async invoke(event, milliseconds = 720_000) {
      await started.promise;
      return new Promise((resolve) => {
        waiting.push({ event, milliseconds, resolve });
        asks?.();
      });
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
      await api.close();
    },
  };
}

/** The next descriptor is 100: one that the platform could give the function, and programs must not get. */
const notOpen = Array.from({ length: 97 }, () => "ignore" as const);

/** The network is this machine's: the test's servers take the place of Lambda and S3. */
const namespaces = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--die-with-parent",
  "--new-session",
];

function rootBinds(folder: string): string[] {
  const root = rootFolder();
  const bind = (path: string): string[] => ["--ro-bind", join(root, path), `/${path}`];
  const below = (path: string, except: string): string[] =>
    readdirSync(join(root, path)).flatMap((name) => (name === except ? [] : bind(`${path}/${name}`)));
  const readOnly = (name: string, path: string): string[] => ["--ro-bind", join(folder, name), path];
  const links = ["bin", "sbin", "lib", "lib64"].flatMap((name) =>
    existsSync(join(root, `usr/${name}`)) ? ["--symlink", `usr/${name}`, `/${name}`] : [],
  );
  return [
    ..."--uid 65534 --gid 65534 --cap-drop ALL --tmpfs /".split(" "),
    ...links,
    ...bind("etc"),
    ...below("usr", "share"),
    ...below("usr/share", "agent-environment"),
    ...readOnly("handler", handlerFolder),
    ...readOnly("facts.json", "/usr/share/agent-environment/facts.json"),
    ...readOnly("node", "/opt/node"),
    ..."--proc /proc --dev /dev --symlink /tmp/workspace /work --tmpfs /tmp --remount-ro /dev --remount-ro / --chdir /".split(
      " ",
    ),
  ];
}

function environment(port: number, memoryMegabytes: number): string[] {
  const variables = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
    AWS_SECRET_ACCESS_KEY: "of-the-function",
  };
  const set = Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]);
  return ["--clearenv", ...set, "--", "/opt/node", `${handlerFolder}/index.js`];
}
