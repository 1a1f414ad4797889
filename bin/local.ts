import { enableCompileCache } from "node:module";
import { onNpmEnd } from "./local/npm.ts";
import { parseOptions, usage } from "./local/options.ts";

enableCompileCache(); // compiled code of earlier starts

// A full disk below the log, or nobody left to read it, is no reason to end the service.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === "help") console.log(usage);
  else await start(options);
} catch (error) {
  fail(error as Error);
}

function fail({ message }: Error): never {
  console.error(`npm start: ${message.replaceAll("\n", " ")}`);
  process.exit(1);
}

async function start(options: Exclude<ReturnType<typeof parseOptions>, "help">): Promise<void> {
  const { serve } = await import("./local/serve.ts");
  const service = await serve(options);
  const { baseUrl: base_url, apiKey: api_key, templateId: template_id } = service;
  // Before the lines that say it is ready: whoever reads them may end it at once.
  const end = (): void => void service.close().then(() => process.exit(0));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  onNpmEnd(end);
  service.trouble.catch((error: Error) => void service.close().finally(() => fail(error)));
  if (options.json) console.log(JSON.stringify({ base_url, api_key, template_id }));
  else console.log(welcome(base_url, template_id, api_key, options.dataDir));
}

function welcome(baseUrl: string, templateId: string, apiKey: string | undefined, dataDir: string): string {
  const bearer = `-H 'Authorization: Bearer ${apiKey ?? "API_KEY"}'`;
  const body = {
    name: "First run",
    template_id: templateId,
    input_text: "What is in the file?",
    files: [{ filename: "hello.txt", content_base64: Buffer.from("Hello from a file.\n").toString("base64") }],
  };
  const key = apiKey
    ? `API key: ${apiKey}\n  (shown this once; only its hash is kept)`
    : `API key: shown when it was made. A new one: npm run -s admin -- key create --agent ${templateId}${
        dataDir === ".data" ? "" : ` --data-dir ${dataDir}`
      }`;
  return `Agent Run Service: ${baseUrl}   (data in ${dataDir}, Ctrl-C ends it)
${key}

Create a run that reads a file:
  curl -s ${baseUrl}/v1/agents ${bearer} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'

Read its status and transcript, with the agent_id of the answer:
  curl -s ${baseUrl}/v1/agents/AGENT_ID ${bearer}`;
}
