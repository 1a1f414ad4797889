import { median } from "./table.ts";

/** What one call of each takes in milliseconds: medians of `rounds` of so many calls, in turns, after one to warm up. */
export async function inTurns(
  { rounds, calls }: { rounds: number; calls: number },
  floor: () => Promise<unknown>,
  service: () => Promise<unknown>,
): Promise<{ floor: number; service: number }> {
  const timed = async (call: () => Promise<unknown>): Promise<number> => {
    const begun = performance.now();
    for (let made = 0; made < calls; made++) await call();
    return (performance.now() - begun) / calls;
  };
  const times = { floor: [] as number[], service: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const [bare, ours] = [await timed(floor), await timed(service)];
    if (round === 0) continue;
    times.floor.push(bare);
    times.service.push(ours);
  }
  return { floor: median(times.floor), service: median(times.service) };
}
