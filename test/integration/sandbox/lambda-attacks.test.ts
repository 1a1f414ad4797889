import { afterAll } from "vitest";
import { containerProblem } from "../../support/environment-container.ts";
import { type LambdaLinuxFixture, lambdaLinuxFixture } from "../../support/lambda-linux.ts";
import { describeAttacks } from "./linux/attacks/describe-attacks.ts";
import { functionErrors, functionOutputs, notInFunctions } from "./linux/attacks/function-outputs.ts";
import type { TestProgram } from "./linux/engine.ts";

const neverAborts = new AbortController().signal;
let fixture: LambdaLinuxFixture | undefined;
let hasEnded = false;
afterAll(() => fixture?.[Symbol.asyncDispose]());

/** In the container of the call before. After one that ended the function, in a new one, as on Lambda. */
async function run({ language = "shell", text, files = {}, seconds = 20 }: TestProgram) {
  if (hasEnded) {
    await fixture?.[Symbol.asyncDispose]();
    [fixture, hasEnded] = [undefined, false];
  }
  if (!fixture) {
    fixture = await lambdaLinuxFixture();
    void fixture.container.ended.then(() => (hasEnded = true));
  }
  const stored = fixture.store(files as Record<string, string>);
  return fixture.linux.run({ language, text, seconds, files: stored }, neverAborts);
}

describeAttacks({
  name: "the container of a function",
  unavailable: containerProblem(),
  run,
  outputs: functionOutputs,
  errors: functionErrors,
  inapplicable: notInFunctions,
});
