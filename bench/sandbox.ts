import { localSandbox } from "../src/platform/local/sandbox.ts";
import { median, type Row } from "./table.ts";

/** A program that prints a sum, in a sandbox that was just opened and in one that has run programs before. */
export async function measureSandbox(rounds: number): Promise<Row[]> {
  const first: number[] = [];
  const next: number[] = [];
  const signal = new AbortController().signal;
  for (let round = 0; round < rounds; round++) {
    const sandbox = localSandbox();
    for (let call = 0; call < 6; call++) {
      const begun = performance.now();
      const program = { engine: "javascript", program: "console.log(1 + 1)", seconds: 10 } as const;
      const { output } = await sandbox.run({ ...program, files: [] }, signal);
      (call === 0 ? first : next).push(performance.now() - begun);
      if (output.trim() !== "2") throw new Error(`the sandbox printed ${JSON.stringify(output)}`);
      await new Promise((resolve) => setTimeout(resolve, 200)); // as between two steps: the model answers in between
    }
    sandbox.close();
  }
  return [
    { name: "run_javascript, first call", unit: "ms", service: median(first) },
    { name: "run_javascript, next call", unit: "ms", service: median(next), target: { atMost: 10 } },
  ];
}
