import { localSandbox } from "../src/platform/local/sandbox.ts";
import { median, type Row } from "./table.ts";

/** A program that prints a sum: the first one of a sandbox, and later ones. */
export async function measureSandbox(rounds: number): Promise<Row[]> {
  const first: number[] = [];
  const next: number[] = [];
  const signal = new AbortController().signal;
  for (let round = 0; round < rounds; round++) {
    const sandbox = localSandbox();
    for (let call = 0; call < 6; call++) {
      const start = performance.now();
      const program = { engine: "javascript", program: "console.log(1 + 1)", seconds: 10 } as const;
      const { output } = await sandbox.run({ ...program, files: [] }, signal);
      (call === 0 ? first : next).push(performance.now() - start);
      if (output.trim() !== "2") throw new Error(`the sandbox printed ${JSON.stringify(output)}`);
      await new Promise((resolve) => setTimeout(resolve, 200)); // time for the sandbox to prepare the next process, as during a model call
    }
    sandbox.close();
  }
  return [
    { name: "run_javascript, first call", unit: "ms", service: median(first) },
    { name: "run_javascript, next call", unit: "ms", service: median(next), target: { atMost: 10 } },
  ];
}
