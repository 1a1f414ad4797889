import middy from "@middy/core";
import { join } from "node:path";
import { runtimeSettings } from "../src/env.ts";
import { handleProgram, readFacts } from "../src/platform/aws/container/container-handler.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";
import { runStagedRequest } from "../src/platform/aws/functions/staged-sandbox.ts";
import { containerProcesses } from "../src/platform/aws/container/container-processes.ts";
import type { FunctionEvent } from "../src/platform/aws/container/program-messages.ts";
import { type Invocation, serveInvocations } from "../src/platform/aws/container/runtime-api.ts";
import { runProgram, sandbox } from "./run-program.ts";

// Entry point of the image of a Linux environment: runs programs in this container, one after the other.

/** Where the image has this file. */
declare const __dirname: string;

const folder = "/usr/share/agent-environment/handler";

// It kills processes and empties /tmp, which it must not do anywhere else.
if (__dirname !== folder || process.getuid?.() === 0) {
  throw new Error(`this program runs as a user without rights, in ${folder} of an image; it is in ${__dirname}`);
}

const { api, memoryMegabytes } = runtimeSettings();
const supervisor = join(folder, "supervise.py");
const container = { supervisor, processes: containerProcesses(), memoryMegabytes };

const handler = middy<FunctionEvent, unknown, Error, Invocation>(noEarlyTimeout).handler(
  async (event, { deadline }) => {
    if ("facts" in event) return readFacts();
    if ("program" in event) return handleProgram(container, event.program, deadline);
    const { request = "", staged } = event;
    return staged ? runStagedRequest(sandbox, event.request, staged) : runProgram({ request });
  },
);

serveInvocations(api, handler).catch((error: unknown) => {
  console.error(String(error));
  process.exit(1); // Lambda starts another process in a new environment, or in this one, which is cleaned first
});
