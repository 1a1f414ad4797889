import { parseArgs } from "node:util";
import type { ModelConfiguration } from "../../lambdas/agent/model.ts";

export interface LocalOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  dataDir: string;
  json: boolean;
  verbose: boolean;
  /** Absent: what the organization has already, at first the demo model. */
  model?: ModelConfiguration;
}

export const usage = `npm start -- [options]

  --port N             port to listen on, 0 for any free one (8787)
  --host H             address to listen on (127.0.0.1)
  --data-dir D         folder of the data, made when missing (.data)
  --model P            demo | openai-compatible: what the starter agent's organization runs on from now on
  --model-base-url U   of an OpenAI-compatible server, such as http://127.0.0.1:11434/v1
  --model-name M       the model's name there
  --model-secret S     where its API key is: env:NAME or file:PATH (none: no key is sent)
  --json               print one line when ready: {"base_url","api_key","template_id"}
  --verbose            log the progress of runs
  --help               print this`;

/** Throws an Error whose message is one line for people. */
export function parseOptions(args: string[]): LocalOptions | "help" {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string", default: "8787" },
      host: { type: "string", default: "127.0.0.1" },
      "data-dir": { type: "string", default: ".data" },
      model: { type: "string" },
      "model-base-url": { type: "string" },
      "model-name": { type: "string" },
      "model-secret": { type: "string" },
      json: { type: "boolean", default: false },
      verbose: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535) {
    throw new Error(`--port takes a number from 0 to 65535, not ${JSON.stringify(values.port)}`);
  }
  const model = modelOf(values.model, values["model-base-url"], values["model-name"], values["model-secret"]);
  const { host, json, verbose } = values;
  return { host, port, dataDir: values["data-dir"], json, verbose, ...(model && { model }) };
}

function modelOf(
  provider: string | undefined,
  baseUrl: string | undefined,
  model: string | undefined,
  secret: string | undefined,
): ModelConfiguration | undefined {
  const details = baseUrl ?? model ?? secret;
  if (provider === undefined || provider === "demo") {
    if (details !== undefined)
      throw new Error("--model-base-url, --model-name and --model-secret go with --model openai-compatible");
    return provider && { provider, enabled: true };
  }
  if (provider !== "openai-compatible") {
    throw new Error(`--model takes demo or openai-compatible, not ${JSON.stringify(provider)}`);
  }
  if (!baseUrl || !URL.canParse(baseUrl) || !model) {
    throw new Error(
      "--model openai-compatible needs --model-base-url (such as http://127.0.0.1:11434/v1) and --model-name",
    );
  }
  return { provider, enabled: true, baseUrl, model, ...(secret && { secret }) };
}
