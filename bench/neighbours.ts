import { setTimeout as sleep } from "node:timers/promises";
import { attacks } from "./attacks.ts";
import { type Attack, openNeighborhood } from "./neighbours-service.ts";
import { recordAttacks } from "./record-attacks.ts";
import { memoryOf } from "./servers.ts";
import { quantile, type Row } from "./table.ts";

interface NeighboursOptions {
  /** Of one round. */
  seconds: number;
  /** The checkout of an earlier release, whose rounds alternate with those of this one. It is the floor. */
  earlier?: string | undefined;
  /** Measures only attacks whose name has this text. */
  only?: string | undefined;
}

/** What a tenant noticed in the rounds of one release. */
interface Noticed {
  times: number[];
  /** MB over those of the idle service, at most. */
  memory: number;
}

/** Rounds of each release, if there are two. */
const rounds = 3;

/** What a tenant notices of each attack by another one. Each round has a new service. */
export async function measureNeighbours({ seconds, earlier, only }: NeighboursOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const attack of [...attacks, ...recordAttacks]) {
    if (only !== undefined && !attack.name.includes(only)) continue;
    const here: Noticed = { times: [], memory: 0 };
    const there: Noticed = { times: [], memory: 0 };
    for (let round = 0; round < (earlier === undefined ? 1 : rounds); round++) {
      await attackOnce(attack, seconds, here);
      if (earlier !== undefined) await attackOnce(attack, seconds, there, earlier);
    }
    rows.push(...rowsOf(attack, here, earlier === undefined ? undefined : there));
  }
  return rows;
}

async function attackOnce({ measured, more, begin }: Attack, seconds: number, noticed: Noticed, folder?: string) {
  await using place = await openNeighborhood(folder);
  const { pid } = place.server;
  const before = memoryOf(pid, "VmRSS") ?? 0;
  const end = await begin(place);
  await sleep(1_000);
  noticed.times.push(...(await place.notices(measured, seconds * 1_000, more)));
  noticed.memory = Math.max(noticed.memory, (memoryOf(pid, "VmHWM") ?? 0) - before);
  end?.();
}

function rowsOf({ name, measured, target }: Attack, here: Noticed, there: Noticed | undefined): Row[] {
  const worst = measured === "polls" ? "p99" : "max";
  const rows: Row[] = [];
  for (const [label, q] of Object.entries({ p50: 0.5, p99: 0.99, max: 1 })) {
    const row: Row = { name: `${name}: ${measured}, ${label}`, unit: "ms", service: quantile(here.times, q) };
    if (there) row.floor = quantile(there.times, q);
    if (label === worst) row.target = { atMost: target };
    rows.push(row);
  }
  const floor = there && { floor: there.memory };
  return [...rows, { name: `${name}: memory over idle, peak`, unit: "MB", service: here.memory, ...floor }];
}
