import { parseArgs } from "node:util";
import { checkBaseUrl } from "./base-url.ts";
import { type Outcome, upload } from "./probe/upload.ts";

const usage = `Sends creates of growing size, and prints who answers them and how.

  npm run probe -- --base-url URL [--api-key KEY --template-id ID]

  --base-url URL      where the service is, without /v1
  --api-key KEY       without a key every body that gets through is answered with 401, and nothing is created
  --template-id ID    with a key: its agent's id. Creates of up to 10 MiB of files then make an idle run each
  --sizes LIST        sizes of the bodies in MB of 1,000,000 bytes (4,6.1,10.1,14.2,20,60)
  --timeout SECONDS   how long an answer may take (180)
  --json              one line of JSON for each create

Each size is sent four times: with a length and chunked, without and with Expect: 100-continue. Exit code 0: all answers
are the contract's, 1: some are not, 2: these options were wrong.`;

/** 10 MiB in base64, which the contract takes. */
const maxBase64 = 13_981_016;

const columns = ["MB", "body", "Expect", "status", "answered by", "100", "sent MB", "s", "contract", ""];
const widths = [5, 8, 7, 7, 15, 4, 8, 6, 9, 0];

interface Options {
  url: URL;
  key: { apiKey: string; templateId: string } | undefined;
  sizes: number[];
  timeoutSeconds: number;
  json: boolean;
}

try {
  const options = parse(process.argv.slice(2));
  if (options === "help") console.log(usage);
  else process.exitCode = (await probe(options)) ? 0 : 1;
} catch (error) {
  console.error(`probe: ${(error as Error).message.replaceAll("\n", " ")}`);
  process.exitCode = 2;
}

/** True when every answer was the contract's. */
async function probe({ url, key, sizes, timeoutSeconds, json }: Options): Promise<boolean> {
  let good = true;
  if (!json) console.log(row(columns));
  for (const megabytes of sizes) {
    const { body, base64 } = createBody(megabytes * 1_000_000, key?.templateId ?? crypto.randomUUID());
    for (const framing of ["length", "chunked"] as const) {
      for (const expect of [false, true]) {
        const headers: Record<string, string> = key ? { authorization: `Bearer ${key.apiKey}` } : {};
        const outcome = await upload({ url, headers, body, framing, expect, timeoutSeconds });
        const asContract = isContract(outcome, base64, key !== undefined);
        good &&= asContract;
        const attempt = { megabytes, framing, expect, asContract, ...outcome };
        console.log(json ? JSON.stringify(attempt) : row(cellsOf(attempt)));
      }
    }
  }
  return good;
}

/** Without a key, 413 is as good as 401 for what is too large: which of the two is looked at first is left open. */
function isContract({ status, answeredBy, detail }: Outcome, base64: number, withKey: boolean): boolean {
  if (answeredBy !== "service") return false;
  const refused = status === 413 && detail === "total file size exceeds the allowed limit";
  if (base64 > maxBase64 && refused) return true;
  return withKey ? base64 <= maxBase64 && status === 201 : status === 401;
}

/** A create of exactly so many bytes; `base64`: characters of its one file. JSON may end with spaces. */
function createBody(bytes: number, templateId: string): { body: Buffer; base64: number } {
  const [before, after] = [
    `{"name":"probe","template_id":"${templateId}","files":[{"filename":"probe.bin","content_base64":"`,
    '"}]}',
  ];
  const base64 = Math.floor((bytes - before.length - after.length) / 4) * 4;
  const body = Buffer.alloc(bytes, " ");
  body.write(before, 0);
  body.fill("A", before.length, before.length + base64);
  body.write(after, before.length + base64);
  return { body, base64 };
}

type Attempt = Outcome & { megabytes: number; framing: string; expect: boolean; asContract: boolean };

function cellsOf({ megabytes, framing, expect, asContract, ...outcome }: Attempt): string[] {
  const { status, answeredBy, continued, sent, seconds, detail } = outcome;
  return [
    String(megabytes),
    framing,
    expect ? "yes" : "no",
    String(status ?? "–"),
    answeredBy,
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

/** Throws an Error whose message is one line for people. */
function parse(args: string[]): Options | "help" {
  const { values } = parseArgs({
    args,
    options: {
      "base-url": { type: "string" },
      "api-key": { type: "string" },
      "template-id": { type: "string" },
      sizes: { type: "string", default: "4,6.1,10.1,14.2,20,60" },
      timeout: { type: "string", default: "180" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return "help";
  const { "base-url": baseUrl = "", "api-key": apiKey, "template-id": templateId, json } = values;
  checkBaseUrl(baseUrl, "https://example.org");
  if ((apiKey === undefined) !== (templateId === undefined)) {
    throw new Error("--api-key and --template-id go together: give both, or neither");
  }
  const sizes = values.sizes.split(",").map(Number);
  if (!sizes.every((size) => size >= 0.001 && size <= 1_000)) {
    throw new Error(`--sizes is "${values.sizes}"; give numbers of MB from 0.001 to 1000, as 4,6.1`);
  }
  const timeoutSeconds = Number(values.timeout);
  if (!(timeoutSeconds > 0)) throw new Error(`--timeout is "${values.timeout}"; give a number of seconds above 0`);
  return {
    url: new URL(`${baseUrl.replace(/\/+$/, "")}/v1/agents`),
    key: apiKey !== undefined && templateId !== undefined ? { apiKey, templateId } : undefined,
    sizes,
    timeoutSeconds,
    json,
  };
}
