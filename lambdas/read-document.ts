import type { SandboxAnswer, SandboxEvent } from "../src/platform/aws/container/program-messages.ts";
import { bundledSandbox } from "../src/platform/aws/functions/bundled-sandbox.ts";
import { runStagedRequest } from "../src/platform/aws/functions/staged-sandbox.ts";

/** One process: Lambda gives a function one document at a time. */
const sandbox = bundledSandbox(1);

/** Reads one document, takes pages of one, or checks one result. */
export function handler({
  request,
  staged,
}: Required<Pick<SandboxEvent, "staged">> & SandboxEvent): Promise<SandboxAnswer> {
  return runStagedRequest(sandbox, request, staged);
}
