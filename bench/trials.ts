import { setTimeout as sleep } from "node:timers/promises";
import { type Neighborhood, openNeighborhood } from "./neighbours-service.ts";
import { processorTimeOf } from "./servers.ts";
import { median, quantile, type Row } from "./table.ts";

const cases = 50;
/** Plain runs are created by as many callers as a trial tries cases at once. */
const atOnce = 16;
const pollMilliseconds = 25;
/** A search, and an answer. */
const input = `calls ${JSON.stringify([["search_files", { pattern: "nothing" }]])}`;

interface Spent {
  milliseconds: number;
  /** Of the service's processor. */
  processor: number;
}

/**
 * - A trial of 50 turns, from its start to its end, against 50 runs of the same agent, from the first create to the last end.
 * - Polls of another organization's run while such trials follow one another, against the same beside such runs.
 */
export async function measureTrials({ rounds, seconds }: { rounds: number; seconds: number }): Promise<Row[]> {
  await using place = await openNeighborhood(undefined);
  const { attacker, manage } = place;
  const spent = { runs: [] as Spent[], trials: [] as Spent[] };
  const created: number[] = [];
  const suite = `/agents/${attacker.agentId}/suites`;
  await plainRuns(place);
  // Each round tries the same turns.
  await manage("POST", suite, { name: "bench" });
  const { data = [] } = await manage("GET", `/runs?agent_id=${attacker.agentId}&limit=${cases}`);
  await manage("POST", `${suite}/bench/cases`, { cases: data.map(({ id }) => ({ run_id: id })) });
  const trial = async (): Promise<void> => {
    const { id = "", created: milliseconds } = await newTrial(place);
    created.push(milliseconds);
    spent.trials.push(await measured(place, () => tried(place, id)));
  };
  for (let round = 0; round <= rounds; round++) {
    spent.runs.push(await measured(place, () => plainRuns(place)));
    await trial();
  }
  const [runs, trials] = [spent.runs.slice(1), spent.trials.slice(1)]; // round 0 warms up
  const polls = { runs: [] as number[], trials: [] as number[] };
  for (let round = 0; round < 3; round++) {
    polls.runs.push(...(await pollsBeside(place, seconds, () => plainRuns(place))));
    polls.trials.push(...(await pollsBeside(place, seconds, trial)));
  }
  const of = (field: keyof Spent, list: Spent[]) => median(list.map((each) => each[field]));
  return [
    {
      name: `${cases} cases, start to end`,
      unit: "ms",
      floor: of("milliseconds", runs),
      service: of("milliseconds", trials),
      target: { timesFloor: 1.5 },
    },
    {
      name: "  processor time of the service",
      unit: "ms",
      floor: of("processor", runs),
      service: of("processor", trials),
      target: { timesFloor: 1.5 },
    },
    { name: "  estimate before", unit: "ms", service: median(created) },
    ...(["p50", "p99"] as const).map((label): Row => {
      const q = label === "p50" ? 0.5 : 0.99;
      const [floor, service] = [quantile(polls.runs, q), quantile(polls.trials, q)];
      const target = label === "p99" ? { timesFloor: 1.25 } : undefined;
      return { name: `polls of another run, ${label}`, unit: "ms", floor, service, target };
    }),
  ];
}

/** `work` resolves with when it ended, in milliseconds since 1970 by the service's clock, which is that of this machine. */
async function measured({ server }: Neighborhood, work: () => Promise<number>): Promise<Spent> {
  const [startedAt, processor] = [Date.now(), processorTimeOf(server.pid) ?? Number.NaN];
  const endedAt = await work();
  return {
    milliseconds: endedAt - startedAt,
    processor: (processorTimeOf(server.pid) ?? Number.NaN) - processor,
  };
}

/** Resolves with the time at which the last run ended. */
async function plainRuns({ call, manage, attacker }: Neighborhood): Promise<number> {
  let left = cases;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const { status } = await call(attacker, "POST", "/ext/v1/runs", { name: "plain", input_text: input });
      if (status !== 201) throw new Error(`the create of a run answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  for (;;) {
    const query = `/runs?agent_id=${attacker.agentId}&limit=${cases}`;
    const { data = [] } = await manage("GET", query);
    if (data.every(({ status }) => status === "finished")) return Math.max(...data.map(endOf));
    await sleep(pollMilliseconds);
  }
}

async function newTrial({ manage, attacker }: Neighborhood): Promise<{ id?: string; created: number }> {
  const body = { version: 1, suite: "bench", control: 0, concurrency: atOnce, budget: { tokens: 1_000_000_000 } };
  const startedAt = performance.now();
  const { id = "" } = await manage("POST", `/agents/${attacker.agentId}/trials`, body);
  return { id, created: performance.now() - startedAt };
}

/** Resolves with the time at which the trial ended. */
async function tried({ manage }: Neighborhood, id: string): Promise<number> {
  await manage("POST", `/trials/${id}/start`);
  for (;;) {
    const trial = await manage("GET", `/trials/${id}`);
    if (trial.status === "finished") {
      if (trial.summary?.text.startsWith(`${cases} tried · ${cases} same`)) return endOf(trial);
      throw new Error(`the trial ended with ${trial.summary?.text}`);
    }
    await sleep(pollMilliseconds);
  }
}

function endOf({ updated_at: at = "" }: { updated_at?: string }): number {
  return Date.parse(at);
}

/** What polls take while `work` is repeated, in milliseconds. */
async function pollsBeside(place: Neighborhood, seconds: number, work: () => Promise<unknown>): Promise<number[]> {
  const over = new AbortController();
  const working = (async () => {
    while (!over.signal.aborted) await work();
  })();
  const times = await place.notices("polls", seconds * 1_000);
  over.abort();
  await working;
  return times;
}
