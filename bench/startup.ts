import { createRequest, expectAnswer, openConnection } from "./load.ts";
import { type Kind, newDataDir, startServer } from "./servers.ts";
import { median, type Row } from "./table.ts";

const inputText = "The first input.";

/** Milliseconds from the start of the process to the response to its first create, with a new and a used data directory. */
export async function measureStartup({ rounds }: { rounds: number }): Promise<Row[]> {
  const times = { floor: [] as number[], service: [] as number[], again: [] as number[], npm: [] as number[] };
  for (let index = 0; index < rounds; index++) {
    times.floor.push(await firstAnswer("floor", newDataDir()));
    const dataDir = newDataDir();
    times.service.push(await firstAnswer("service", dataDir));
    times.again.push(await firstAnswer("service", dataDir));
    if (index % 3 === 0) times.npm.push(await firstAnswer("service", newDataDir(), true));
  }
  const floor = median(times.floor);
  const row = (name: string, values: number[]): Row => {
    return { name, unit: "ms", floor, service: median(values) };
  };
  return [
    { ...row("process start → first create answered", times.service), target: { atMost: 500 } },
    { ...row("… on a data folder that was used before", times.again), target: { atMost: 500 } },
    row("… through npm start", times.npm),
  ];
}

async function firstAnswer(kind: Kind, dataDir: string, npmStart = false): Promise<number> {
  const server = await startServer(kind, dataDir, { npmStart });
  try {
    const connection = await openConnection(server);
    await expectAnswer(connection, createRequest(server, { input_text: inputText }), 201);
    const milliseconds = performance.now() - server.spawnedAt;
    connection.close();
    return milliseconds;
  } finally {
    await server.end();
  }
}
