import type { Engine, EngineResult } from "./engine.ts";
import { loadEngine } from "./engines.ts";
import type { LoadedEngine, SandboxRequest } from "./sandbox-types.ts";

/** An engine for a process. `result` replaces that of documents, before the time of a check begins. */
type AnyEngine = LoadedEngine | "result";

/** Messages from the parent: first the engine to load, then one request after the other. */
export type ToChild = { load: AnyEngine } | { request: SandboxRequest };

/** Messages to the parent: one for the loaded engine and one for each request. */
export type FromChild = { loaded: AnyEngine } | { result: EngineResult } | { failed: string };

// The program of a sandbox process. It ends with its parent.
let engine: Promise<Engine> | undefined;

process.on("message", (message: ToChild) => void handle(message));
process.on("disconnect", () => process.exit());

async function handle(message: ToChild): Promise<void> {
  try {
    if ("load" in message) {
      engine = loadEngine[message.load]();
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
