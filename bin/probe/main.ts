import { Command } from "commander";
import { checkBaseUrl } from "../../conformance/client.ts";
import { newToken } from "../../src/accounts/token.ts";
import { CliError, type Io, runProgram } from "../cli.ts";
import { createBody, type Outcome, upload } from "./upload.ts";

/** 10 MiB in base64: the limit of the contract. */
const maxBase64 = 13_981_016;

const columns = ["MB", "body", "Expect", "status", "response from", "100", "sent MB", "s", "contract", ""];
const widths = [5, 8, 7, 7, 15, 4, 8, 6, 9, 0];

interface Options {
  baseUrl: string;
  apiKey?: string;
  templateId?: string;
  sizes: string;
  timeout: string;
  json?: true;
}

interface Probe {
  url: URL;
  key: { apiKey: string; templateId: string } | undefined;
  sizes: number[];
  timeoutSeconds: number;
}

/** Runs `npm run probe`. Exit code: 0 if all responses conform, 1 if some do not, 2 for wrong options. */
export async function main(argv: string[], io: Io): Promise<number> {
  let conforms = true;
  const program = new Command("npm run probe --")
    .description("Send creates of growing size. Print who responds to each, and how.")
    .requiredOption("--base-url <URL>", "address of the service without /v1")
    .option(
      "--api-key <KEY>",
      "key of an agent; without it an unknown key is sent, and a body that is accepted gets 401",
    )
    .option("--template-id <ID>", "id of that agent; each create of up to 10 MiB of files creates an idle run")
    .option("--sizes <LIST>", "sizes of the bodies in MB (1,000,000 bytes)", "4,6.1,10.1,14.2,20,60")
    .option("--timeout <SECONDS>", "longest wait for a response", "180")
    .option("--json", "print one line of JSON for each create")
    .addHelpText(
      "after",
      `
Sends each size four times: with a length and chunked, without and with Expect: 100-continue.
Exit codes: 0 if all responses conform to the specification, 1 if some do not, 2 for wrong options.`,
    )
    .action(async ({ json, ...options }: Options) => {
      conforms = await probe(probeOf(options), json === true, io);
    });
  const code = await runProgram(program, argv, io, { name: "probe", exitCode: 2 });
  return code === 0 && !conforms ? 1 : code;
}

/** Resolves with whether every response conforms. */
async function probe({ url, key, sizes, timeoutSeconds }: Probe, json: boolean, io: Io): Promise<boolean> {
  let conforms = true;
  // CloudFront rejects a large create without a well-formed key before its body is sent.
  const apiKey = key?.apiKey ?? newToken("ak").token;
  if (!json) io.out(row(columns));
  for (const megabytes of sizes) {
    const { body, base64 } = createBody(megabytes * 1_000_000, key?.templateId ?? crypto.randomUUID());
    for (const framing of ["length", "chunked"] as const) {
      for (const expect of [false, true]) {
        const headers = { authorization: `Bearer ${apiKey}` };
        const outcome = await upload({ url, headers, body, framing, expect, timeoutSeconds });
        const asContract = isContract(outcome, base64, key !== undefined);
        conforms &&= asContract;
        const attempt = { megabytes, framing, expect, asContract, ...outcome };
        io.out(json ? JSON.stringify(attempt) : row(cellsOf(attempt)));
      }
    }
  }
  return conforms;
}

/** Without a key, a body over the limit may be answered with 413 or 401: the specification leaves the order open. */
function isContract({ status, respondedBy, detail }: Outcome, base64: number, withKey: boolean): boolean {
  if (respondedBy !== "service") return false;
  const tooLarge = status === 413 && detail === "total file size exceeds the allowed limit";
  if (base64 > maxBase64 && tooLarge) return true;
  return withKey ? base64 <= maxBase64 && status === 201 : status === 401;
}

type Attempt = Outcome & { megabytes: number; framing: string; expect: boolean; asContract: boolean };

function cellsOf({ megabytes, framing, expect, asContract, ...outcome }: Attempt): string[] {
  const { status, respondedBy, continued, sent, seconds, detail } = outcome;
  return [
    String(megabytes),
    framing,
    expect ? "yes" : "no",
    String(status ?? "–"),
    respondedBy,
    continued ? "yes" : "no",
    (sent / 1_000_000).toFixed(1),
    seconds.toFixed(1),
    asContract ? "ok" : "NOT",
    detail,
  ];
}

function row(cells: string[]): string {
  return cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 0))
    .join(" ")
    .trimEnd();
}

function probeOf({ baseUrl, apiKey, templateId, sizes: list, timeout }: Options): Probe {
  const problem = checkBaseUrl(baseUrl);
  if (problem !== undefined) throw new CliError(`--base-url ${problem}`);
  if ((apiKey === undefined) !== (templateId === undefined)) {
    throw new CliError("--api-key and --template-id must be passed together");
  }
  const sizes = list.split(",").map(Number);
  if (!sizes.every((size) => size >= 0.001 && size <= 1_000)) {
    throw new CliError(`--sizes is ${JSON.stringify(list)}; expected numbers of MB from 0.001 to 1000, such as 4,6.1`);
  }
  const timeoutSeconds = Number(timeout);
  if (!(timeoutSeconds > 0)) {
    throw new CliError(`--timeout is ${JSON.stringify(timeout)}; expected a number of seconds above 0`);
  }
  return {
    url: new URL(`${baseUrl.replace(/\/+$/, "")}/v1/agents`),
    key: apiKey !== undefined && templateId !== undefined ? { apiKey, templateId } : undefined,
    sizes,
    timeoutSeconds,
  };
}
