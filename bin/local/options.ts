import { Command } from "commander";
import { parseModelSettings } from "../../src/accounts/model-settings.ts";
import { defaultRequestRate } from "../../src/accounts/request-rate.ts";
import type { ModelConfiguration } from "../../src/agent/model.ts";
import { configurationFields, modelUrl, providerNames } from "../../src/agent/models/model-config.ts";
import { defaultFileLimits, type FileLimits } from "../../src/agent/tools/files/file-limits.ts";
import { defaultFileVersions } from "../../src/agent/turn/files/manifest.ts";
import { parseOrigin } from "../../src/http/origin.ts";
import { parseHost } from "../../src/http/server/host-check.ts";
import { parseAllowedAddress } from "../../src/platform/local/process/allowed-addresses.ts";
import {
  type AllowedSecret,
  hostEntry,
  parseAllowedSecret,
  usualSecrets,
} from "../../src/platform/local/process/allowed-secrets.ts";
import { commandLine, commandPrefix } from "../../src/command-line.ts";
import { isPackage } from "../../src/layout.ts";
import { type SandboxChoice, sandboxChoices } from "../../src/platform/local/linux.ts";
import { linuxLimits, programSeconds } from "../../src/sandbox/linux/linux-limits.ts";
import { transcriptMegabytes } from "../../src/runs/control/control-run.ts";
import { pendingLimits, uploadMegabytes } from "../../src/runs/files/pending-uploads.ts";
import { CliError } from "../cli.ts";

const megabyte = 1024 * 1024;

export interface LocalOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  dataDir: string;
  /** Old contents that a run keeps of each file name. */
  fileVersions: number;
  /** How programs are run in a Linux. */
  sandbox: SandboxChoice;
  /** Bytes of memory of one program in a Linux. */
  programMemoryBytes: number;
  /** Time limit of a program in a Linux for which the model sets none. */
  defaultProgramSeconds: number;
  /** What the files of one run may be together. */
  fileLimits: Pick<FileLimits, "files" | "bytes">;
  /** Bytes of the largest file that clients of the extension API can upload. */
  maxUploadBytes: number;
  /** Bytes of all pending uploads of an agent together. */
  pendingUploadBytes: number;
  /** UTF-8 bytes of a transcript and its queued inputs that a run's next input may fill. */
  maxTranscriptBytes: number;
  /** Requests per second that each API key and each operator may send. 0: any number. */
  requestsPerKey: number;
  json: boolean;
  verbose: boolean;
  allowedSecrets: AllowedSecret[];
  /** Single addresses outside of the public internet and private networks that may be reached. */
  allowedAddresses: string[];
  /** Names besides its addresses under which the console is used. See `HostRules`. */
  allowedHosts: string[];
  /** Origins of pages that may use the extension API. */
  corsOrigins: string[];
  /** Absent: the organization keeps its model, at first the demo model. */
  model?: ModelConfiguration;
}

/** Options as commander parses them. */
interface ParsedOptions {
  host: string;
  port: string;
  dataDir: string;
  fileVersions: string;
  sandbox: string;
  programMemory: string;
  programSeconds: string;
  workspaceFiles: string;
  workspaceSize: string;
  maxUpload: string;
  pendingUploads: string;
  maxTranscript: string;
  requestsPerKey: string;
  model?: string;
  modelName?: string;
  modelBaseUrl?: string;
  modelRegion?: string;
  modelSecret?: string;
  modelCompat?: string;
  modelIdleSeconds?: string;
  allowSecret?: string[];
  allowAddress?: string[];
  allowHost?: string[];
  corsOrigin?: string[];
  json?: true;
  verbose?: true;
}

const labels = {
  provider: "--model",
  baseUrl: "--model-base-url",
  model: "--model-name",
  secret: "--model-secret",
  region: "--model-region",
  compat: "--model-compat",
  idleSeconds: "--model-idle-seconds",
};

/** The command `npm start`. `start` is called with valid options. */
export function localProgram(start: (options: LocalOptions) => Promise<void>): Command {
  const program = new Command(commandPrefix("start"))
    .description("Run the whole service on this machine.")
    .option("--port <N>", "port to listen on; 0 for any free port", "8787")
    .option("--host <ADDRESS>", "address to listen on", "127.0.0.1")
    .option("--data-dir <DIR>", "data directory (created if missing)", ".data")
    .option(
      "--file-versions <N>",
      "old versions that a run keeps of each file, besides its uploads",
      String(defaultFileVersions),
    )
    .option(
      "--sandbox <ENGINE>",
      "run programs in a Linux with bubblewrap, docker or podman; auto: the first that works; off: JavaScript and a small Python only",
      "auto",
    )
    .option("--program-memory <MB>", "memory of one program in a Linux", String(linuxLimits.memoryBytes / megabyte))
    .option(
      "--program-seconds <N>",
      `time limit of a program in a Linux, unless the model sets another (1 to ${programSeconds.maxSeconds})`,
      String(programSeconds.defaultSeconds),
    )
    .option("--workspace-files <N>", "files that a run can have", String(defaultFileLimits.files))
    .option("--workspace-size <MB>", "size of all files of a run", String(defaultFileLimits.bytes / megabyte))
    .option(
      "--max-upload <MB>",
      `size of the largest file that programs can upload through /ext/v1, in MB (1 to ${uploadMegabytes.max})`,
      String(uploadMegabytes.default),
    )
    .option("--pending-uploads <MB>", "size of all pending uploads of an agent", String(pendingLimits.megabytes))
    .option(
      "--max-transcript <MB>",
      "size of a run's inputs and outputs together, above which it accepts no further input",
      String(transcriptMegabytes.default),
    )
    .option(
      "--requests-per-key <N>",
      "requests per second that each API key and each operator may send; 0: any number",
      String(defaultRequestRate),
    );
  addModelOptions(program);
  addAccessOptions(program);
  return program
    .option("--json", 'print one line when ready: {"base_url","api_key","template_id","console_url"}')
    .option("--verbose", "log the progress of runs")
    .addHelpText("after", isPackage ? packageHelp : cloneHelp)
    .action((parsed: ParsedOptions) => start(localOptions(parsed)));
}

function addModelOptions(program: Command): void {
  program
    .option("--model <PROVIDER>", `set the starter organization's model: ${providerNames.join(", ")}`)
    .option("--model-name <NAME>", "the provider's name of the model")
    .option("--model-base-url <URL>", "address of an OpenAI-compatible server, such as http://127.0.0.1:11434/v1")
    .option("--model-region <REGION>", "AWS region of Bedrock, such as eu-central-1; credentials: from the environment")
    .option("--model-secret <SECRET>", "location of the API key: env:NAME or file:PATH (openai-…: optional)")
    .option(
      "--model-compat <SETTINGS>",
      "override detected differences of the server: setting=value,… (docs/models.md)",
    )
    .option("--model-idle-seconds <N>", "seconds without data after which a call fails and is retried");
}

/** What configurations, programs and pages may reach. */
function addAccessOptions(program: Command): void {
  program
    .option(
      "--allow-secret <SECRET>",
      "allow configurations to use the environment variable NAME or file:PATH as a secret; NAME=HOST limits it to a host; repeatable",
      repeated,
    )
    .option(
      "--allow-address <IP>",
      "let webhooks and web_fetch reach this address where private addresses are allowed, such as 127.0.0.1; repeatable",
      repeated,
    )
    .option(
      "--allow-host <NAME>",
      "accept this name for the console and /mcp, such as that of a reverse proxy; repeatable",
      repeated,
    )
    .option(
      "--cors-origin <ORIGIN>",
      "allow pages of this origin to call /ext/v1, such as https://app.example.com; repeatable",
      repeated,
    );
}

const cloneHelp = `
Under a process manager, and on Windows: install Node 24, run
node scripts/install.mjs --console, then node bin/local.ts [options]. It receives signals
directly; a killed npm leaves the service running.`;

const packageHelp = `
Other commands:
  ${commandLine("admin", "--help")}    manage agents, keys and runs
  ${commandLine("console", "--help")}  serve the console of a service on AWS
  ${commandLine("demo", "--help")}     see a service survive two kills`;

function localOptions(parsed: ParsedOptions): LocalOptions {
  const { host, dataDir, json = false, verbose = false } = parsed;
  const port = Number(parsed.port);
  if (!/^\d+$/.test(parsed.port) || port > 65_535) {
    throw new CliError(`--port is ${JSON.stringify(parsed.port)}; expected a number from 0 to 65535`);
  }
  if (host === "") {
    throw new CliError('--host is ""; expected an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all');
  }
  if (dataDir === "") throw new CliError('--data-dir is ""; expected a directory, such as .data');
  const fileVersions = wholeNumber("--file-versions", parsed.fileVersions, 0, 1_000);
  const programMemoryBytes = megabyte * wholeNumber("--program-memory", parsed.programMemory, 256, 1_048_576);
  const defaultProgramSeconds = wholeNumber("--program-seconds", parsed.programSeconds, 1, programSeconds.maxSeconds);
  const files = wholeNumber("--workspace-files", parsed.workspaceFiles, 10, 100_000);
  const bytes = megabyte * wholeNumber("--workspace-size", parsed.workspaceSize, 10, 1_048_576);
  const maxUpload = Number(parsed.maxUpload);
  if (!/^\d+$/.test(parsed.maxUpload) || maxUpload < 1 || maxUpload > uploadMegabytes.max) {
    throw new CliError(
      `--max-upload is ${JSON.stringify(parsed.maxUpload)}; expected a whole number of MB from 1 to ${uploadMegabytes.max}`,
    );
  }
  const pendingUploadBytes = megabyte * wholeNumber("--pending-uploads", parsed.pendingUploads, 1, 1_073_741_824);
  const { min, max } = transcriptMegabytes;
  const maxTranscriptBytes = megabyte * wholeNumber("--max-transcript", parsed.maxTranscript, min, max);
  const requestsPerKey = wholeNumber("--requests-per-key", parsed.requestsPerKey, 0, 1_000_000);
  const sandbox = sandboxChoices.find((each) => each === parsed.sandbox);
  if (sandbox === undefined) {
    throw new CliError(`--sandbox is ${JSON.stringify(parsed.sandbox)}; expected one of ${sandboxChoices.join(", ")}`);
  }
  const model = modelOf(parsed);
  const allowedSecrets = [...(parsed.allowSecret ?? []).map(parseAllowedSecret), ...modelSecret(model)];
  const allowedAddresses = (parsed.allowAddress ?? []).map(parseAllowedAddress);
  const allowedHosts = (parsed.allowHost ?? []).map(hostOf);
  const maxUploadBytes = maxUpload * 1024 * 1024;
  const programs = { programMemoryBytes, defaultProgramSeconds };
  const sizes = {
    fileVersions,
    maxUploadBytes,
    pendingUploadBytes,
    maxTranscriptBytes,
    requestsPerKey,
    ...programs,
    fileLimits: { files, bytes },
  };
  return {
    host,
    port,
    dataDir,
    sandbox,
    ...sizes,
    json,
    verbose,
    allowedSecrets,
    allowedAddresses,
    allowedHosts,
    corsOrigins: (parsed.corsOrigin ?? []).map(originOf),
    ...(model && { model }),
  };
}

function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new CliError(`${option} is ${JSON.stringify(text)}; expected a whole number from ${min} to ${max}`);
}

function repeated(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

function hostOf(text: string): string {
  if (parseHost(text)) return text.toLowerCase();
  throw new CliError(`--allow-host is ${JSON.stringify(text)}; expected a name such as runs.example.com, or NAME:PORT`);
}

/** `--model-secret` is allowed for the model's host. */
function modelSecret(model: ModelConfiguration | undefined): AllowedSecret[] {
  const { secret } = model ? configurationFields(model) : {};
  if (!model || secret === undefined || usualSecrets.has(secret)) return [];
  return [{ secret, hosts: [hostEntry(modelUrl(model))] }];
}

function modelOf(parsed: ParsedOptions): ModelConfiguration | undefined {
  const settings = {
    provider: parsed.model,
    baseUrl: parsed.modelBaseUrl,
    model: parsed.modelName,
    secret: parsed.modelSecret,
    region: parsed.modelRegion,
    compat: parsed.modelCompat,
    idleSeconds: parsed.modelIdleSeconds,
  };
  if (Object.values(settings).every((value) => value === undefined)) return undefined;
  if (settings.provider === undefined) {
    throw new CliError(`--model is missing; the other model options require it (${providerNames.join(", ")})`);
  }
  return parseModelSettings(settings, labels, true);
}

function originOf(text: string): string {
  const origin = parseOrigin(text);
  if (origin !== undefined) return origin;
  throw new CliError(`--cors-origin is ${JSON.stringify(text)}; expected an origin such as https://app.example.com`);
}
