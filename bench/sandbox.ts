import type { SandboxRequest } from "../src/sandbox/types.ts";
import { localSandbox } from "../src/platform/local/sandbox.ts";
import { median, type Row } from "./table.ts";

/** A program that prints a sum, in JavaScript and in Python: the first one of a sandbox, and later ones. */
export async function measureSandbox(rounds: number): Promise<Row[]> {
  const javascript = await measure(rounds, { engine: "javascript", program: "console.log(1 + 1)" });
  const python = await measure(rounds, { engine: "python", program: "print(1 + 1)" });
  return [
    { name: "run_javascript, first call", unit: "ms", service: javascript.first },
    { name: "run_javascript, next call", unit: "ms", service: javascript.next, target: { atMost: 10 } },
    { name: "run_python (WebAssembly), first call", unit: "ms", service: python.first },
    { name: "run_python (WebAssembly), next call", unit: "ms", service: python.next },
  ];
}

/** Medians in milliseconds. */
async function measure(rounds: number, program: Pick<SandboxRequest, "engine" | "program">) {
  const first: number[] = [];
  const next: number[] = [];
  const signal = new AbortController().signal;
  for (let round = 0; round < rounds; round++) {
    const sandbox = localSandbox();
    for (let call = 0; call < 6; call++) {
      const start = performance.now();
      const { output } = await sandbox.run({ ...program, files: [], seconds: 10 }, signal);
      (call === 0 ? first : next).push(performance.now() - start);
      if (output.trim() !== "2") throw new Error(`the sandbox printed ${JSON.stringify(output)}`);
      await new Promise((resolve) => setTimeout(resolve, 500)); // time for the sandbox to prepare the next process, as during a model call
    }
    sandbox.close();
  }
  return { first: median(first), next: median(next) };
}
