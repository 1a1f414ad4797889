import { type FileHandle, mkdir, readFile } from "node:fs/promises";
import { semaphore } from "../../../async/semaphore.ts";
import type { CollectLimits } from "../../../sandbox/linux/budget.ts";
import { collectChanges, collectLimits, sha256OfBytes, sha256OfFile } from "../../../sandbox/linux/changes.ts";
import { layOutFiles } from "../../../sandbox/linux/lay-out.ts";
import { linuxLimits } from "../../../sandbox/linux/linux-limits.ts";
import { failedResult, noChanges } from "../../../sandbox/linux/program-end.ts";
import { Snapshot } from "../../../sandbox/linux/snapshot.ts";
import type { UntrustedFile } from "../../../sandbox/linux/content-folder.ts";
import type { EnvironmentFacts, StoredFile } from "../../../sandbox/linux/linux-types.ts";
import { cleanContainer, containerFolders, freeBytes, runInContainer } from "./container-program.ts";
import type { ContainerProcesses } from "./container-processes.ts";
import { concurrentTransfers, type ObjectTransfers, objectTransfers, TransferFailed } from "../s3/object-transfers.ts";
import {
  inlineCharacters,
  outputName,
  type ProgramAnswer,
  type ProgramCall,
  type ProgramUnavailable,
} from "./program-messages.ts";
import { transferSeconds } from "../s3/transfer-seconds.ts";

const megabyte = 1024 * 1024;
/** Memory of the service's own processes, and of the platform's. */
const ownMemoryBytes = 320 * megabyte;
/** Milliseconds between two questions whether the program is still wanted. */
const stopPollMilliseconds = 5_000;

export interface Container {
  /** Path of `supervise.py`. */
  supervisor: string;
  processes: ContainerProcesses;
  /** Of the function. */
  memoryMegabytes: number;
}

/** Reads what the environment has. It was written when the image was built. */
export async function readFacts(): Promise<EnvironmentFacts> {
  return JSON.parse(await readFile("/usr/share/agent-environment/facts.json", "utf8")) as EnvironmentFacts;
}

/**
 * Runs one program in this container: fetches its files, runs it, stores what it changed, and removes all that is left of it.
 * `deadline`: milliseconds since 1970. Rejects when something of the program remains: the process must then end.
 */
export async function handleProgram(
  container: Container,
  call: ProgramCall,
  deadline: number,
): Promise<ProgramAnswer | ProgramUnavailable> {
  const transfers = objectTransfers(call.addresses);
  try {
    await cleanContainer(container.processes);
    return await answerOf(container, call, transfers, deadline);
  } catch (error) {
    if (error instanceof TransferFailed) return { unavailable: error.message };
    throw error;
  } finally {
    transfers.close();
    await cleanContainer(container.processes);
  }
}

async function answerOf(
  { supervisor, processes, memoryMegabytes }: Container,
  call: ProgramCall,
  transfers: ObjectTransfers,
  deadline: number,
): Promise<ProgramAnswer> {
  const { files, maxFiles = linuxLimits.files, staging } = call;
  const needed = files.reduce((sum, { size }) => sum + size, 0);
  const free = await freeBytes();
  if (needed >= free) return failedResult(`The files have ${needed} bytes; the sandbox has room for ${free}.`);
  const snapshot = await fetchFiles(call, transfers);

  const left = (deadline - Date.now()) / 1_000 - transferSeconds.store;
  const seconds = Math.floor(Math.min(call.seconds, left));
  if (seconds < 1) return failedResult("The files could not be read in time. Run the program on fewer files.");
  const limits = { ...linuxLimits, files: maxFiles, memoryBytes: memoryMegabytes * megabyte - ownMemoryBytes };
  const unwanted = new AbortController();
  const poll = setInterval(() => {
    void transfers.exists(call.stop).then((exists) => exists && unwanted.abort());
  }, stopPollMilliseconds);
  const { output, ...end } = await runInContainer(
    { ...call, seconds },
    { supervisor, processes, limits },
    unwanted.signal,
  ).finally(() => clearInterval(poll));

  const isLong = output.length > inlineCharacters;
  if (isLong) await transfers.upload(staging, outputName, { text: output });
  const ended = { ...(isLong ? {} : { output }), ...end };
  if (end.exitCode === undefined) return { ...ended, ...noChanges };
  const changes = await storeChanges({ before: files, snapshot }, collectLimits(limits, call), (name, content) =>
    transfers.upload(staging, name, content),
  );
  const { problem = changes.problem } = end;
  return { ...ended, ...changes, ...(problem !== undefined && { problem }) };
}

async function fetchFiles({ files, contents }: ProgramCall, transfers: ObjectTransfers): Promise<Snapshot> {
  const { work } = containerFolders;
  await mkdir(work);
  const limited = semaphore(concurrentTransfers);
  const { url, query } = contents;
  const signatures = new Map(files.map(({ sha256, signature }) => [sha256, signature]));
  await layOutFiles(work, files, ({ sha256 }, path) =>
    limited(async () => {
      const stored = await transfers.download(`${url}${sha256}?${query}${signatures.get(sha256)}`, path, sha256);
      return stored * 1_000;
    }),
  );
  return Snapshot.take(work, files);
}

/** Finds the changes by content, and stores the contents that are new. No process of the program may be alive. */
async function storeChanges(
  { before, snapshot }: { before: StoredFile[]; snapshot: Snapshot },
  limits: CollectLimits,
  upload: (name: string, content: { file: FileHandle } | { text: string }) => Promise<void>,
): ReturnType<typeof collectChanges> {
  const known = new Set(before.map(({ sha256 }) => sha256));
  async function storeText(text: string) {
    const sha256 = sha256OfBytes(Buffer.from(text));
    const isNew = !known.has(sha256);
    known.add(sha256);
    if (isNew) await upload(sha256, { text });
    return { sha256, size: Buffer.byteLength(text) };
  }
  const contents = {
    async store(written: UntrustedFile, signal: AbortSignal) {
      if ("content" in written) return storeText(written.content.toString());
      await using file = await written.open();
      const { size } = await file.stat();
      const sha256 = await sha256OfFile(file, signal);
      const isNew = !known.has(sha256); // otherwise a copy or a renamed file
      known.add(sha256);
      if (isNew) await upload(sha256, { file });
      return { sha256, size };
    },
    settle: async () => {},
  };
  const ended = { folder: containerFolders.work, before, snapshot };
  return collectChanges(ended, contents, limits, new AbortController().signal);
}
