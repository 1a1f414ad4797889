import { styleText } from "node:util";
import type { ModelConfiguration } from "../../src/agent/model.ts";
import { configurationFields } from "../../src/agent/models/model-config.ts";
import { commandLine, dataOption } from "../../src/command-line.ts";
import { publicBaseUrl } from "../../src/agent/public-url.ts";
import type { LinuxHere } from "../../src/platform/local/linux.ts";
import { printableLine } from "../printable.ts";
import type { Addresses } from "./addresses.ts";
import type { FoundModel } from "./found-models.ts";

/** The model that runs of the starter agent use. */
export interface StarterModel {
  /** Undefined: the organization has none, so new runs are rejected. */
  configuration: ModelConfiguration | undefined;
  /** That of the agent, or else of the configuration. */
  name: string | undefined;
  /** An operator has stopped all model calls of the organization. */
  areStopped: boolean;
}

export interface Welcome extends Addresses {
  version: string;
  /** Milliseconds from the start of the process until requests are accepted. */
  milliseconds: number;
  consoleUrl: string;
  templateId: string;
  /** Set if this start created it. */
  apiKey: string | undefined;
  dataDir: string;
  /** What programs run in. */
  linux: LinuxHere | undefined;
  model: StarterModel;
  /** Models that could be used instead of the demo model. */
  found: FoundModel[];
}

/** The screen that `npm start` prints when the service is ready. */
export function welcome(service: Welcome): string {
  const { version, milliseconds, baseUrl, consoleUrl, templateId, apiKey, dataDir } = service;
  const bearer = `-H 'Authorization: Bearer ${apiKey ?? "API_KEY"}'`;
  const body = { name: "First run", template_id: templateId, input_text: "Hello" };
  const key = apiKey
    ? `${apiKey}  ${styleText("dim", "shown only once")}`
    : `shown when it was created; another: ${commandLine("admin", `key create --agent ${templateId}${dataOption(dataDir)}`)}`;
  const lines = [
    "",
    `${styleText("bold", "Agent Run Service")} ${version}  ${styleText("dim", `ready in ${milliseconds} ms`)}`,
    "",
    field("Console", styleText("cyan", consoleUrl)),
    field("API", `${styleText("cyan", `${baseUrl}/v1`)}  ${styleText("dim", `data in ${dataDir}`)}`),
    ...networkLine(service),
    field("Key", key),
    field("MCP", mcpCommand(baseUrl, apiKey)),
    ...modelLines(service),
    ...programLines(service.linux),
    "",
    "Create a run, then read it with the agent_id of the response:",
    `  curl -s ${baseUrl}/v1/agents ${bearer} \\`,
    `    -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`,
    `  curl -s ${baseUrl}/v1/agents/AGENT_ID ${bearer}`,
    "",
    styleText(
      "dim",
      `Ctrl-C stops the service. See it survive two kills in the middle of a run: ${commandLine("demo")}`,
    ),
    "",
  ];
  return lines.map((line) => (line === "" ? "" : `  ${line}`)).join("\n");
}

/** Addresses that are shown: a machine with containers has many. */
const maxOthers = 3;

/** That machines in the same networks can call it, unless a firewall is between. */
function networkLine({ isWildcard, others }: Addresses): string[] {
  if (!isWildcard) return [];
  const shown = others.length > 0 ? `, such as ${others.slice(0, maxOthers).join(" and ")}` : "";
  return [field("", styleText("dim", `listens on all addresses of this machine${shown}; without TLS`))];
}

/** Adds the service to a coding agent. */
function mcpCommand(baseUrl: string, apiKey = "API_KEY"): string {
  return `claude mcp add --transport http agent-runs ${baseUrl}/mcp --header 'Authorization: Bearer ${apiKey}'`;
}

/** A model that was found, and how to choose it. */
export function foundLine(found: FoundModel, dataDir: string): string {
  return field("Found", `${found.where}: ${commandLine("start", `${found.options}${dataOption(dataDir)}`)}`);
}

function modelLines({ model, found, dataDir }: Welcome): string[] {
  const { configuration } = model;
  const problem = modelProblem(model);
  if (configuration && configuration.provider !== "demo") {
    const described = describeModel(configuration, model.name);
    return [field("Model", problem === undefined ? described : `${described}: ${problem}`)];
  }
  const start = commandLine("start", "--help");
  const other = found.length > 0 ? "or set a model in the console" : `set a model in the console, or see ${start}`;
  return [
    field("Model", problem ?? "demo: it needs no network, and reports what it reads"),
    ...found.map((one) => foundLine(one, dataDir)),
    field("", styleText("dim", other)),
  ];
}

/** Why no run of the starter agent gets an answer. Undefined: none of these reasons. */
function modelProblem({ configuration, areStopped }: StarterModel): string | undefined {
  if (!configuration) return "none: new runs are rejected until you set one";
  if (!configuration.enabled) return "disabled: new runs are rejected until it is enabled";
  return areStopped
    ? "an operator has stopped all model calls: new runs are rejected until they are resumed"
    : undefined;
}

function programLines(linux: LinuxHere | undefined): string[] {
  if (!linux) return [];
  if ("unavailable" in linux) {
    const offered = "JavaScript and a small Python, in WebAssembly; no shell";
    return [field("Sandbox", offered), field("", styleText("dim", printableLine(linux.unavailable)))];
  }
  const where = linux.isMachine ? "this machine's own programs" : "the environment linux";
  const languages = linux.hasPython ? "bash and Python" : "bash, no Python (python3 is not installed),";
  const install = linux.isMachine
    ? [field("", styleText("dim", `pandas and more: ${commandLine("admin", "environment install")}`))]
    : [];
  const notes = linux.missing.map((note) => field("", styleText("dim", note)));
  return [field("Sandbox", `${linux.engine}: ${languages} with ${where}, without network`), ...install, ...notes];
}

function describeModel(model: ModelConfiguration, name = "no name"): string {
  const { provider, baseUrl, region } = configurationFields(model);
  const where = baseUrl === undefined ? region : publicBaseUrl(baseUrl);
  return printableLine(`${name} (${provider}${where === undefined ? "" : `, ${where}`})`);
}

function field(name: string, value: string): string {
  return `${name.padEnd(8)}${value}`;
}
