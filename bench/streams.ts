import { setTimeout as sleep } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import { runs } from "./attacks.ts";
import { type Neighborhood, openNeighborhood } from "./neighbours-service.ts";
import { memoryOf, processorTimeOf, resetPeak } from "./servers.ts";
import { median, quantile, type Row } from "./table.ts";

const chunks = 400;
/** Answers at once whose processor time is measured. */
const measured = 100;
/** Answers at once while a neighbor polls. Each has 10 chunks a second. Floor: the polls before. */
const many = { runs: 1_000, seconds: 120, measuredMs: 10_000 };

/**
 * The processor time of a chunk of an answer, and what a neighbor notices of many answers. The model server writes a chunk per
 * word, in a process of its own. The time of the service has everything in it: the runs are created, recorded and finished.
 */
export async function measureStreams({ rounds }: { rounds: number }): Promise<Row[]> {
  await using place = await openNeighborhood(undefined);
  const times = { floor: [] as number[], service: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const [floor, service] = [await floorTime(place), await serviceTime(place)];
    if (round === 0) continue; // warms up
    times.floor.push(floor);
    times.service.push(service);
  }
  const name = `a chunk of ${measured} answers at once, processor time`;
  const perChunk: Row = {
    name,
    unit: "µs",
    floor: median(times.floor),
    service: median(times.service),
    target: { timesFloor: 1.3 },
  };
  return [perChunk, ...(await neighborOfMany(place))];
}

/** Microseconds of this process for a chunk. */
async function floorTime({ modelUrl }: Neighborhood): Promise<number> {
  const before = process.cpuUsage();
  const texts = await Promise.all(Array.from({ length: measured }, () => fetchText(modelUrl)));
  if (texts.some((text) => text.length !== chunks * "word ".length)) throw new Error("the model's answer is not whole");
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (measured * chunks);
}

async function fetchText(modelUrl: string): Promise<string> {
  const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: inputOf(8_000) }] });
  const response = await fetch(`${modelUrl}/chat/completions`, { method: "POST", body });
  const decoder = new TextDecoder();
  let text = "";
  const parser = createParser({
    onEvent({ data }) {
      if (data === "[DONE]") return;
      const { choices } = JSON.parse(data) as { choices: { delta: { content?: string } }[] };
      text += choices[0]?.delta.content ?? "";
    },
  });
  for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  return text;
}

/** Microseconds of the service for a chunk. */
async function serviceTime(place: Neighborhood): Promise<number> {
  const { pid } = place.server;
  const before = processorTimeOf(pid) ?? Number.NaN;
  await runs(place, measured, inputOf(8_000));
  await untilFinished(place);
  return (((processorTimeOf(pid) ?? Number.NaN) - before) * 1_000) / (measured * chunks);
}

function inputOf(milliseconds: number, count = chunks): string {
  return `stream ${count} ${milliseconds}`;
}

async function untilFinished({ call, attacker }: Neighborhood): Promise<void> {
  for (;;) {
    const { body } = await call(attacker, "GET", "/ext/v1/runs?status=running&limit=1");
    if (body.data?.length === 0) return;
    await sleep(200);
  }
}

async function neighborOfMany(place: Neighborhood): Promise<Row[]> {
  const { pid } = place.server;
  const alone = await place.notices("polls", many.measuredMs);
  resetPeak(pid);
  const before = memoryOf(pid, "VmRSS");
  const until = performance.now() + many.seconds * 1_000;
  await runs(place, many.runs, inputOf(many.seconds * 1_000, many.seconds * 10));
  const processor = processorTimeOf(pid) ?? Number.NaN;
  const times = await place.notices("polls", many.measuredMs);
  if (performance.now() > until) throw new Error("the first answers ended before the last ones began");
  const used = ((processorTimeOf(pid) ?? Number.NaN) - processor) / (many.measuredMs / 1_000);
  const peak = memoryOf(pid, "VmHWM");
  const name = `${many.runs.toLocaleString("en-US")} answers at once`;
  const polls = (label: string, share: number): Row => {
    const [floor, service] = [quantile(alone, share), quantile(times, share)];
    return { name: `${name}: polls of a neighbor, ${label}`, unit: "ms", floor, service };
  };
  const rows: Row[] = [
    { name: `${name}: processor time in a second`, unit: "ms", service: used, target: { atMost: 500 } },
    polls("p50", 0.5),
    { ...polls("p99", 0.99), target: { atMost: 100 } },
  ];
  if (before === undefined || peak === undefined) return rows;
  const memory = (peak - before) / many.runs;
  return [...rows, { name: `${name}: memory of one, peak`, unit: "MB", service: memory, target: { atMost: 0.5 } }];
}
