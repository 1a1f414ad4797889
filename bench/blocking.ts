import { randomBytes, randomUUID } from "node:crypto";
import { workspaceLimits } from "../src/agent/tools/definitions.ts";
import { compilePattern } from "../src/agent/tools/search-pattern.ts";
import { validateCreate } from "../src/v1/public-requests.ts";
import { median, type Row } from "./table.ts";

/** Work that cannot be interrupted: no other request is answered meanwhile. */
export async function measureBlocking(rounds: number): Promise<Row[]> {
  const body = largestCreate();
  const part = `c${randomLetters(workspaceLimits.searchPartCharacters - 1)}`; // without a c, it would not be read
  const validation = await timed(rounds, async () => {
    const parsed = JSON.parse(body) as unknown;
    return () => "value" in validateCreate(parsed);
  });
  const search = await timed(rounds, async () => {
    const findMatch = await compilePattern("a[ab]{900}c", false); // again: it keeps states of earlier texts
    return () => findMatch(part) === undefined;
  });
  return [
    {
      name: "validation of ten files of 1 MiB, after JSON.parse",
      unit: "ms",
      service: validation,
      target: { atMost: 5 },
    },
    { name: "search in a part of a line, slowest pattern", unit: "ms", service: search, target: { atMost: 1_000 } },
  ];
}

/** Median of the processor time, in milliseconds, of the work that `prepare` makes for each round. The work returns whether it succeeded. */
async function timed(rounds: number, prepare: () => Promise<() => boolean>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const work = await prepare();
    const begun = process.threadCpuUsage();
    const isDone = work();
    const { user, system } = process.threadCpuUsage(begun);
    times.push((user + system) / 1_000);
    if (!isDone) throw new Error("the input was not accepted, or matched");
  }
  return median(times);
}

function largestCreate(): string {
  const content = randomBytes(1_048_576).toString("base64");
  const files = Array.from({ length: 10 }, (_, index) => ({ filename: `${index}.bin`, content_base64: content }));
  return JSON.stringify({ name: "n", template_id: randomUUID(), files });
}

/** Letters on which RE2 is slow: the state of the pattern a[ab]{n}c depends on the last n letters. */
function randomLetters(length: number): string {
  return Array.from(randomBytes(length), (byte) => (byte % 2 === 0 ? "a" : "b")).join("");
}
