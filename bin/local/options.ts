import { parseArgs } from "node:util";
import type { ModelConfiguration } from "../../src/agent/model.ts";
import { providerNames } from "../../src/agent/models/model-config.ts";
import { modelFromOptions } from "../model-options.ts";

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
  --model P            ${providerNames.join(" | ")}:
                       what the starter agent's organization runs on from now on
  --model-name M       the model's name there
  --model-base-url U   of an OpenAI-compatible server, such as http://127.0.0.1:11434/v1
  --model-region R     of Bedrock, such as eu-central-1; AWS credentials come from the environment
  --model-secret S     where the API key is: env:NAME or file:PATH (openai-compatible: none, no key is sent)
  --model-compat C     override detected server differences: setting=value,… (docs/models.md)
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
      "model-region": { type: "string" },
      "model-compat": { type: "string" },
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
  const model = modelOf({
    provider: values.model,
    baseUrl: values["model-base-url"],
    model: values["model-name"],
    secret: values["model-secret"],
    region: values["model-region"],
    compat: values["model-compat"],
  });
  const { host, json, verbose, "data-dir": dataDir } = values;
  if (host === "") throw new Error('--host is ""; give an address of this machine, as 127.0.0.1, or 0.0.0.0 for all');
  if (dataDir === "") throw new Error('--data-dir is ""; give a folder, as .data');
  return { host, port, dataDir, json, verbose, ...(model && { model }) };
}

const flags = {
  provider: "--model",
  baseUrl: "--model-base-url",
  model: "--model-name",
  secret: "--model-secret",
  region: "--model-region",
  compat: "--model-compat",
};

function modelOf(given: Parameters<typeof modelFromOptions>[0]): ModelConfiguration | undefined {
  if (Object.values(given).every((value) => value === undefined)) return undefined;
  if (given.provider === undefined) {
    throw new Error(`--model is missing; the other model options go with one of ${providerNames.join(", ")}`);
  }
  return modelFromOptions(given, flags, true);
}
