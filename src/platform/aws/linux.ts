import { randomUUID } from "node:crypto";
import { settleAll } from "../../async/settle-all.ts";
import { semaphore } from "../../async/semaphore.ts";
import { StoreUnavailable } from "../../errors.ts";
import { log } from "../../log.ts";
import { linuxLimits } from "../../sandbox/linux/linux-limits.ts";
import { failedResult } from "../../sandbox/linux/program-end.ts";
import { parseFacts } from "../../sandbox/linux/bubblewrap/probe.ts";
import type {
  EnvironmentFacts,
  Linux,
  LinuxProgram,
  LinuxResult,
  NoLinux,
  StoredFile,
} from "../../sandbox/linux/linux-types.ts";
import { bucketAddresses } from "./s3/bucket-addresses.ts";
import { keptFacts } from "./functions/environment-facts.ts";
import { invokeFunction, type SandboxFunction, unavailable } from "./functions/invoke-function.ts";
import { parseAnswer } from "./container/program-answer.ts";
import { outputName, type ProgramAnswer, type ProgramCall } from "./container/program-messages.ts";
import { objectSigner } from "./s3/signed-objects.ts";
import type { StagedObjects } from "./s3/staged-objects.ts";
import { objectPrefixes } from "./dynamodb/table.ts";
import { transferSeconds } from "./s3/transfer-seconds.ts";
import { contentKey } from "./workspace.ts";

/** The function of one environment. */
export interface EnvironmentFunction {
  functionName: string;
  /** Identifies the image: another image has another one. */
  image: string;
}

export interface LambdaLinux {
  /** Region and credentials of the caller, and Lambda's endpoint. */
  aws: SandboxFunction["aws"];
  environments: Record<string, EnvironmentFunction>;
  /** The functions have tenant isolation: a tenant is an agent. */
  isTenantIsolated: boolean;
  /** `url`: the bucket's address, without a slash at the end. */
  bucket: { name: string; url: string };
  objects: StagedObjects;
  /** Files of a workspace. Default: that of `linuxLimits`. */
  maxFiles?: number | undefined;
}

/** Seconds of a call besides the program: both transfers, the start of an environment, and adopting the new contents. */
export const overheadSeconds = transferSeconds.read + transferSeconds.store + 30 + 40;

/** Seconds for the first start of an image, which Lambda has to load. */
const factsSeconds = 60;
/** Tenant of the question for the facts: no program has run in its environments. */
const factsTenant = "facts";

const concurrentCopies = 16;

/**
 * Linux environments as Lambda functions. `linuxOf` gives one run's, until `deadline` (milliseconds since 1970): the caller
 * itself ends then, so a program that may take longer is refused with `StoreUnavailable`, for the next invocation.
 */
export function lambdaEnvironments(config: LambdaLinux) {
  const { environments, aws, isTenantIsolated } = config;
  const stored = keptFacts(config.objects);
  const known = new Map<string, Promise<EnvironmentFacts | NoLinux>>();

  /** Facts are asked once for an image. They are kept for the other processes of the service. */
  async function readFacts(name: string, { functionName, image }: EnvironmentFunction) {
    const kept = await stored.read(image);
    if (kept !== undefined) return { ...kept, name };
    const fn = { aws, functionName, tenant: isTenantIsolated ? factsTenant : undefined };
    const asked = { signal: new AbortController().signal, seconds: factsSeconds };
    const invoked = await invokeFunction(fn, { facts: true }, asked);
    if ("problem" in invoked) return { unavailable: invoked.problem };
    const facts = parseFacts(JSON.stringify(invoked.answer));
    await stored.write(image, facts);
    return { ...facts, name };
  }

  return async function linuxOf(
    run: { id: string; agentId: string },
    environment: string,
    deadline: number,
  ): Promise<Linux | NoLinux> {
    const found = environments[environment];
    if (found === undefined) return { unavailable: noEnvironment(environment, Object.keys(environments)) };
    const reading = known.get(environment) ?? readFacts(environment, found);
    known.set(environment, reading);
    const facts = await reading.catch((error: unknown) => {
      known.delete(environment);
      throw error;
    });
    if ("unavailable" in facts) {
      known.delete(environment);
      return facts;
    }
    const tenant = isTenantIsolated ? run.agentId : undefined;
    const fn = { aws, functionName: found.functionName, tenant };
    return {
      engine: "lambda",
      facts,
      run: (program, signal) => runProgram(config, fn, run.id, program, { signal, deadline }),
    };
  };
}

function noEnvironment(name: string, names: string[]): string {
  const remedy = "An operator adds environments with the setting environments.";
  return `This service has no environment ${JSON.stringify(name)}; it has ${names.join(", ")}. ${remedy}`;
}

async function runProgram(
  { aws, bucket, objects, maxFiles = linuxLimits.files }: LambdaLinux,
  fn: SandboxFunction,
  runId: string,
  program: LinuxProgram,
  { signal, deadline }: { signal: AbortSignal; deadline: number },
): Promise<LinuxResult> {
  signal.throwIfAborted();
  const seconds = program.seconds + overheadSeconds;
  if (Date.now() + seconds * 1_000 > deadline) {
    throw new StoreUnavailable("a program may take longer than this invocation has left; the next one runs it");
  }
  const prefix = `${objectPrefixes.staging}${runId}/${randomUUID()}/`;
  const stopKey = `${prefix}stop`;
  const signer = objectSigner(aws, bucket);
  const gets = signer.gets(seconds);
  const call: ProgramCall = {
    language: program.language,
    text: program.text,
    seconds: program.seconds,
    ...(program.room && { room: program.room }),
    maxFiles,
    files: program.files.map((file) => ({ ...file, signature: gets.signature(contentKey(runId, file.sha256)) })),
    contents: { url: gets.url + contentKey(runId, "0".repeat(64)).slice(0, -64), query: gets.query },
    staging: signer.form(prefix, { seconds, maxBytes: linuxLimits.fileBytes }),
    stop: `${gets.url}${stopKey}?${gets.query}${gets.signature(stopKey)}`,
    addresses: await bucketAddresses(bucket.url),
  };
  let isStaged = true; // unless the function says that it stored nothing
  let isStopped = false;
  try {
    const invoked = await invokeFunction(fn, { program: call }, { signal, seconds }).catch(async (error: unknown) => {
      // Lambda does not end an invocation that nobody waits for. The function looks for this object.
      isStopped = signal.aborted;
      if (isStopped) await objects.writeText(stopKey, "").catch(() => {});
      throw error;
    });
    if ("problem" in invoked) return failedResult(invoked.problem);
    const answer = parseAnswer(invoked.answer);
    if ("unavailable" in answer) throw unavailable(answer.unavailable);
    isStaged = answer.changed.length > 0 || answer.output === undefined;
    return await resultOf(objects, runId, { prefix, before: program.files }, answer);
  } finally {
    if (isStaged && !isStopped) await objects.removeAll(prefix);
  }
}

/** Gives the new contents of an answer their place among those of the run. */
async function resultOf(
  objects: StagedObjects,
  runId: string,
  { prefix, before }: { prefix: string; before: readonly StoredFile[] },
  answer: ProgramAnswer,
): Promise<LinuxResult> {
  const sizes = new Map(before.map(({ sha256, size }) => [sha256, size]));
  const staged = new Map(answer.changed.filter(({ sha256 }) => !sizes.has(sha256)).map((file) => [file.sha256, file]));
  const limited = semaphore(concurrentCopies);
  const adopted = await settleAll(
    [...staged.values()].map((file) =>
      limited(() => objects.adopt(prefix + file.sha256, file, contentKey(runId, file.sha256))),
    ),
  );
  const isTrue = answer.changed.every(({ sha256, size }) => (sizes.get(sha256) ?? size) === size);
  const output = answer.output ?? (await objects.readText(prefix + outputName, 4 * linuxLimits.outputCharacters));
  if (!isTrue || adopted.includes(false) || output === undefined) {
    log("error", "the sandbox function stored other contents than it reported", { runId });
    return failedResult("The sandbox function stored other files than it reported. Nothing was saved.");
  }
  return { ...answer, output };
}
