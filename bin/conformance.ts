import { parseArgs } from "node:util";
import { checkBaseUrl } from "./base-url.ts";
import type { Target } from "../conformance/client.ts";
import { casesFor, runCases } from "../conformance/suite.ts";

const usage = `Checks a server against the Agent Run Service specification, over HTTP alone.

  npm run conformance -- --base-url URL --api-key KEY --template-id ID

  --base-url URL          where the service is, without /v1 (http://127.0.0.1:8787)
  --api-key KEY           an enabled key of the agent to be run; its runs have to be able to finish
  --template-id ID        that agent's id
  --other-api-key KEY     a key of another agent: checks that the two can't see each other's runs
  --disabled-api-key KEY  a disabled key: checks that it is refused
  --quotes-files          the agent's output quotes names and first lines of its files (the starter agent's
                          does): checks that files have arrived before the input is processed
  --timeout SECONDS       how long a run may take (300)
  --json                  one JSON object on stdout instead of lines, the summary on stderr

It creates about 50 runs; eight of them have an input and run a turn. Exit code 0: all passed, 1: some failed,
2: these options were wrong.`;

interface Options {
  target: Target;
  json: boolean;
}

try {
  const options = parse(process.argv.slice(2));
  if (options === "help") console.log(usage);
  else process.exitCode = (await check(options)) ? 0 : 1;
} catch (error) {
  console.error(`conformance: ${(error as Error).message.replaceAll("\n", " ")}`);
  process.exitCode = 2;
}

/** True when every case passed. */
async function check({ target, json }: Options): Promise<boolean> {
  const results = await runCases(casesFor(target), target, ({ name, passed, expected, received }) => {
    if (json) return;
    console.log(`${passed ? "ok  " : "FAIL"} ${name}`);
    if (!passed) console.log(`       expected ${expected}\n       received ${received}`);
  });
  const passed = results.filter((result) => result.passed).length;
  const failed = results.length - passed;
  const summary = `${passed} passed, ${failed} failed`;
  if (json) {
    console.log(JSON.stringify({ passed, failed, cases: results }));
    console.error(summary);
  } else {
    console.log(summary);
  }
  return failed === 0;
}

/** Throws an Error whose message is one line for people. */
function parse(args: string[]): Options | "help" {
  const { values } = parseArgs({
    args,
    options: {
      "base-url": { type: "string" },
      "api-key": { type: "string" },
      "template-id": { type: "string" },
      "other-api-key": { type: "string" },
      "disabled-api-key": { type: "string" },
      "quotes-files": { type: "boolean", default: false },
      timeout: { type: "string", default: "300" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return "help";
  const { "base-url": baseUrl, "api-key": apiKey, "template-id": templateId } = values;
  if (!baseUrl || !apiKey || !templateId) {
    throw new Error("--base-url, --api-key and --template-id are all needed; --help explains them");
  }
  checkBaseUrl(baseUrl, "http://127.0.0.1:8787");
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(templateId)) {
    throw new Error(`--template-id is "${templateId}"; give the agent's id, a UUID with hyphens`);
  }
  const timeoutSeconds = Number(values.timeout);
  if (!(timeoutSeconds > 0)) throw new Error(`--timeout is "${values.timeout}"; give a number of seconds above 0`);
  const { "other-api-key": otherApiKey, "disabled-api-key": disabledApiKey } = values;
  const target: Target = {
    baseUrl,
    apiKey,
    templateId,
    timeoutSeconds,
    quotesFiles: values["quotes-files"],
    ...(otherApiKey !== undefined && { otherApiKey }),
    ...(disabledApiKey !== undefined && { disabledApiKey }),
  };
  return { target, json: values.json };
}
