import { enableCompileCache } from "node:module";
import type { LocalOptions } from "./local/options.ts";
import { welcome } from "./local/welcome.ts";

// Reuses the code that earlier starts compiled. It covers the imports after it, which are dynamic therefore.
enableCompileCache();

// A failed write to the log (full disk, closed pipe) must not end the service.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const name = "npm start";
const [{ consoleIo, runProgram }, { localProgram }] = await Promise.all([
  import("./cli.ts"),
  import("./local/options.ts"),
]);
const code = await runProgram(localProgram(start), process.argv.slice(2), consoleIo, {
  name,
  explain: (error) => (error as Error).message,
});
if (code !== 0) process.exit(code);

async function start(options: LocalOptions): Promise<void> {
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
  for (const warning of service.warnings) warning.then(printWarning, () => {}); // a failed check must not end the service
  const fields = { base_url: baseUrl, api_key: apiKey, template_id: templateId, console_url: consoleUrl };
  if (options.json) console.log(JSON.stringify(fields));
  else console.log(welcome({ baseUrl, apiKey, templateId, consoleUrl, dataDir: options.dataDir }));
}

function printWarning(text: string | undefined): void {
  if (text !== undefined) console.error(`${name}: warning: ${text}`);
}
