import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Connection, expectAnswer, head, openConnection } from "./load.ts";
import { compareSides, createFinished, openSide, type Rounds, type Side } from "./rates.ts";
import { newDataDir, type Server, startServer } from "./servers.ts";
import type { Row } from "./table.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Inputs after the first one, so that the run has 200 messages. */
const moreInputs = 99;
/** A figure that is worse than before by more than this is reported as missed. Medians of 15 rounds differ by less. */
const tolerance = 1.05;

/**
 * Latencies and rates of an earlier commit, as the floor, and of this checkout. Builds the commit in a temporary worktree.
 * Both services get their runs over HTTP, because a service reads no data of a later version.
 */
export async function measureAgainst(commit: string, rounds: Rounds): Promise<Row[]> {
  using earlier = checkOut(commit);
  const sides: [Side, Side] = [await openSeeded(earlier.folder), await openSeeded(root)];
  // Both or none: an early release has no extension API, which sends the inputs.
  if (sides.some(({ longRun }) => longRun === undefined)) for (const side of sides) side.longRun = undefined;
  return compareSides(sides, rounds, { timesFloor: tolerance });
}

/** A worktree of a commit with dependencies and page. Disposal removes it. */
function checkOut(commit: string): Disposable & { folder: string } {
  const parent = mkdtempSync(join(tmpdir(), "bench-against-"));
  const folder = join(parent, "service"); // not below node_modules, where Node.js runs no TypeScript
  run("git", ["worktree", "add", "--detach", folder, commit], root);
  if (lockOf(folder) === lockOf(root)) {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    utimesSync(join(folder, lockFile), 0, 0); // older than the installation: npm ci would empty the linked folder
  }
  run(process.execPath, ["scripts/install.mjs", "--console"], folder);
  return {
    folder,
    [Symbol.dispose]() {
      run("git", ["worktree", "remove", "--force", folder], root);
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

const lockFile = "package-lock.json";
const lockOf = (folder: string): string => readFileSync(join(folder, lockFile), "utf8");

function run(command: string, args: string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stderr.trim()}`);
}

async function openSeeded(folder: string): Promise<Side> {
  const server = await startServer("service", newDataDir(), { folder });
  const connection = await openConnection(server);
  try {
    const shortRun = await createFinished(connection, server);
    return await openSide(server, { shortRun, longRun: await longRunOf(connection, server) });
  } finally {
    connection.close();
  }
}

/** Creates a run of 200 messages. Undefined: the service does not accept inputs over HTTP. */
async function longRunOf(connection: Connection, server: Server): Promise<string | undefined> {
  const id = await createFinished(connection, server);
  const body = Buffer.from(JSON.stringify({ input_text: "How many words does this input have?" }));
  const input = Buffer.concat([head("POST", `/ext/v1/runs/${id}/input`, server.apiKey, body.length), body]);
  for (let count = 0; count < moreInputs; count++) {
    const { status } = await connection.send(input);
    if (status === 404 || status === 405) return undefined;
    if (status === 429) count--; // 20 inputs are queued
    else if (status !== 202) throw new Error(`an input was answered with ${status}`);
  }
  const poll = head("GET", `/v1/agents/${id}`, server.apiKey);
  while (!(await expectAnswer(connection, poll, 200)).text().includes('"loop_status":"finished"'));
  return id;
}
