import middy from "@middy/core";
import type { SandboxAnswer, SandboxEvent } from "../src/platform/aws/container/program-messages.ts";
import { bundledSandbox } from "../src/platform/aws/functions/bundled-sandbox.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";
import { runStagedRequest } from "../src/platform/aws/functions/staged-sandbox.ts";

/** One process: Lambda gives a function one document at a time. */
const sandbox = bundledSandbox(1);

/** Reads one document, takes pages of one, or checks one result. */
export const handler = middy<Required<Pick<SandboxEvent, "staged">> & SandboxEvent, SandboxAnswer>(
  noEarlyTimeout,
).handler(({ request, staged }) => runStagedRequest(sandbox, request, staged));
