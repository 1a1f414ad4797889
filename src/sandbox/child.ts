import { type Engine, engines } from "./engine.ts";
import type { SandboxEngine, SandboxRequest } from "./types.ts";

/** What the parent says to a sandbox process: first which engine to load, then one request after the other. */
export type ToChild = { load: SandboxEngine } | { request: SandboxRequest };

/** What it answers: that the engine is loaded, and a result for each request. */
export type FromChild = { loaded: SandboxEngine } | { result: Awaited<ReturnType<Engine>> } | { failed: string };

// The program of a sandbox process. It ends with its parent.
let engine: Promise<Engine> | undefined;

process.on("message", (message: ToChild) => void answer(message));
process.on("disconnect", () => process.exit());

async function answer(message: ToChild): Promise<void> {
  try {
    if ("load" in message) {
      engine = engines[message.load]();
      await engine;
      reply({ loaded: message.load });
    } else if (engine) {
      reply({ result: await (await engine)(message.request) });
    }
  } catch (error) {
    reply({ failed: error instanceof Error ? error.message : String(error) });
  }
}

function reply(message: FromChild): void {
  process.send?.(message);
}
