import { enableCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import type { FoundModel } from "./local/found-models.ts";
import type { LocalOptions } from "./local/options.ts";
import type { Service } from "./local/serve.ts";

// Reuses the code that earlier starts compiled. It covers the imports after it, which are dynamic therefore.
enableCompileCache();

// From a burst of waiting runs, V8 learns to allocate the objects of turns in its old generation, and does not unlearn it.
// 4 MB of garbage then survive each young collection, which takes 20 instead of 9 ms, and a run takes 17 % more processor time.
setFlagsFromString("--no-allocation-site-pretenuring");

// A failed write to the log (full disk, closed pipe) must not end the service.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const lookMilliseconds = 300;
const [{ commandLine }, { consoleIo, runProgram }, { localProgram }] = await Promise.all([
  import("../src/command-line.ts"),
  import("./cli.ts"),
  import("./local/options.ts"),
]);
const name = commandLine("start");
const code = await runProgram(localProgram(start), process.argv.slice(2), consoleIo, {
  name,
  explain: (error) => (error as Error).message,
});
if (code !== 0) process.exit(code);

async function start(options: LocalOptions): Promise<void> {
  const look = options.json ? undefined : await lookForOllama();
  const { serve } = await import("./local/serve.ts");
  const service = await serve(options);
  const { baseUrl, apiKey, templateId, consoleUrl } = service;
  // Before the service is announced: a program that reads the announcement may stop it at once.
  let closed: Promise<void> | undefined;
  const end = (): void => void (closed ??= service.close().then(() => process.exit(0)));
  // One Ctrl-C arrives twice: from the terminal, and forwarded by npm. `once` would let the second one kill the process.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, end);
  service.fatal.catch((error: Error) => {
    void service.close().finally(() => {
      console.error(`${name}: ${error.message}`);
      process.exit(1);
    });
  });
  // A failed check must not end the service.
  for (const check of service.warnings)
    check.then(
      (warnings) => warnings.forEach(printWarning),
      () => {},
    );
  const fields = { base_url: baseUrl, api_key: apiKey, template_id: templateId, console_url: consoleUrl };
  if (look) await announce(service, options.dataDir, look);
  else console.log(JSON.stringify(fields));
}

/**
 * Prints the first screen. A look for Ollama has run since the start of the process. It is not awaited: what it finds in the
 * next 300 ms is a further line.
 */
async function announce(service: Service, dataDir: string, look: Look): Promise<void> {
  const [{ welcome, foundLine }, { modelsInEnvironment }] = await Promise.all([
    import("./local/welcome.ts"),
    import("./local/found-models.ts"),
  ]);
  const environment = modelsInEnvironment(process.env);
  const pending = Symbol("pending");
  const ollama = await Promise.race([look.found, Promise.resolve(pending)]);
  const found = typeof ollama === "object" ? [...environment, ollama] : environment;
  const milliseconds = Math.round(performance.now());
  const linux = await service.linux;
  console.log(welcome({ ...service, apiKey: service.apiKey, linux, dataDir, milliseconds, found }));
  setTimeout(() => look.stop(), lookMilliseconds).unref();
  const late = ollama === pending ? await look.found : undefined;
  if (late && service.model.configuration?.provider === "demo") console.log(`  ${foundLine(late, dataDir)}`);
}

interface Look {
  found: Promise<FoundModel | undefined>;
  stop: () => void;
}

async function lookForOllama(): Promise<Look> {
  const { findOllama } = await import("./local/found-models.ts");
  const stop = new AbortController();
  return { found: findOllama(stop.signal), stop: () => stop.abort() };
}

function printWarning(text: string): void {
  console.error(`${name}: warning: ${text}`);
}
