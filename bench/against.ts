import { fileURLToPath } from "node:url";
import { checkOut } from "../scripts/check-out.ts";
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
 * Latencies and rates of an earlier commit, as the floor, and of this checkout. Builds the commit in a temporary folder.
 * Both services get their runs over HTTP, because a service reads no data of a later version.
 */
export async function measureAgainst(commit: string, rounds: Rounds): Promise<Row[]> {
  using earlier = checkOut(commit);
  const sides: [Side, Side] = [await openSeeded(earlier.folder), await openSeeded(root)];
  // Both or none: an early release has no extension API, which sends the inputs.
  if (sides.some(({ longRun }) => longRun === undefined)) for (const side of sides) side.longRun = undefined;
  return compareSides(sides, rounds, { timesFloor: tolerance });
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
