import { median } from "./table.ts";

/** Milliseconds per call: medians over `rounds` of `calls` each. Floor and service alternate; round 0 warms up. */
export async function alternate(
  { rounds, calls }: { rounds: number; calls: number },
  floor: () => Promise<unknown>,
  service: () => Promise<unknown>,
): Promise<{ floor: number; service: number }> {
  const timed = async (call: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    for (let count = 0; count < calls; count++) await call();
    return (performance.now() - start) / calls;
  };
  const times = { floor: [] as number[], service: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const [floorTime, serviceTime] = [await timed(floor), await timed(service)];
    if (round === 0) continue;
    times.floor.push(floorTime);
    times.service.push(serviceTime);
  }
  return { floor: median(times.floor), service: median(times.service) };
}
