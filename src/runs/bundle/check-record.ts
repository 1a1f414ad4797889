import * as schemas from "../../../dist/generated/run-record.js";
import { parseAgentFile } from "../../accounts/agents/agent-definition.ts";
import { jsonLabels, parseModelSettings } from "../../accounts/model-settings.ts";
import type { ToolCall } from "../../agent/model.ts";
import type { FileVersion } from "../../agent/turn/files/manifest.ts";
import { filenameProblem, isKeptPath } from "../../filenames.ts";
import { changedFiles } from "../events.ts";
import { bytesOfFiles } from "../files/stored-bytes.ts";
import { decodeConfiguration } from "../turn-configuration.ts";
import type { RunEvent, RunJournalEntry, Stamped, TurnMessage } from "../run-types.ts";
import { namedIn } from "./export-bundle.ts";
import { configurationsOf, contentsOf, filesNamedBy, type RunRecord } from "./format.ts";
import { type BundleFile, badBundle } from "./read-archive.ts";
import {
  jsonIn,
  openBundleFile,
  type OpenBundle,
  parsed,
  readEvents,
  readListed,
  readRunRecord,
  textIn,
} from "./read-bundle.ts";

/** Events that an imported run has at most, and those of one turn: reading a turn costs the square of their number. */
export const [maxEvents, maxTurnEvents] = [200_000, 20_000] as const;
/** Bytes of what is kept in the head of the run. An item of DynamoDB has 400 KB. */
const maxRunBytes = 64_000;
/** Configurations that the record can name and the bundle not have. */
const maxMissing = 100;

/** A bundle that a run can be made of. */
export interface CheckedBundle {
  bundle: OpenBundle;
  record: RunRecord;
  /** Hashes of configurations that the bundle does not have. */
  missing: string[];
  /** The files after the last event. */
  files: FileVersion[];
  /** Whether the last turn has an output: then the manifest of the record is that after it, and otherwise that before it. */
  ended: boolean;
}

/** Reads the whole bundle and checks everything in it. Rejects for one that an export of this release cannot have written. */
export async function checkBundle(file: BundleFile): Promise<CheckedBundle> {
  const bundle = await openBundleFile(file);
  const record = await readRunRecord(bundle);
  const { run, uploads = [], files = [] } = record;
  if (Buffer.byteLength(JSON.stringify(run)) > maxRunBytes)
    throw badBundle(`the labels, tools and failure of its run have more than ${maxRunBytes} bytes`);
  if (run.sequence > maxEvents) throw badBundle(`it has ${run.sequence} events; at most ${maxEvents} are accepted`);
  const sizes = new Map([...bundle.contents].map(([hash, { size }]) => [hash, size]));
  requireFiles([...uploads, ...files], sizes);
  const named = namedIn(record);
  const ranOn = new Set<string>(); // configurations that an event names
  const checker = recordChecker(record);
  for await (const event of readEvents(bundle)) {
    checker.add(event);
    requireFiles(filesNamedBy(event), sizes);
    for (const hash of configurationsOf(event)) {
      ranOn.add(hash);
      named.configurations.add(hash);
    }
    for (const sha256 of filesNamedBy(event).flatMap(contentsOf)) named.contents.add(sha256);
  }
  const end = checker.end();
  for (const hash of bundle.contents.keys())
    if (!named.contents.has(hash)) throw badBundle(`its record does not name the content ${hash}`);
  for (const hash of bundle.configurations.keys())
    if (!named.configurations.has(hash)) throw badBundle(`its record does not name the configuration ${hash}`);
  const missing = [...named.configurations].filter((hash) => !bundle.configurations.has(hash)).toSorted();
  if (missing.length > maxMissing)
    throw badBundle(`${missing.length} configurations are missing; at most ${maxMissing} can be`);
  for (const [hash, member] of bundle.configurations)
    checkConfiguration(await readListed(bundle, member), member.name, hash === run.resultSchema && !ranOn.has(hash));
  for (const member of bundle.contents.values()) await readListed(bundle, member);
  return { bundle, record, missing, ...end };
}

/** Rejects for names that a workspace does not have, and for sizes that are not those of the contents. */
function requireFiles(files: (Pick<FileVersion, "name"> & Partial<FileVersion>)[], sizes: Map<string, number>): void {
  for (const { name, size, sha256 = "", deleted } of files) {
    const problem = isKeptPath(name) ? undefined : filenameProblem(name); // a program may have chosen it
    if (problem !== undefined) throw badBundle(`the name of a file is wrong: ${problem}`);
    const actual = sizes.get(sha256);
    if (deleted && (size !== 0 || sha256 !== ""))
      throw badBundle(`the deleted file ${JSON.stringify(name)} has a content`);
    if (size !== undefined && actual !== undefined && size !== actual)
      throw badBundle(`the file ${JSON.stringify(name)} has ${size} bytes, and its content ${actual}`);
  }
}

/** Follows the events of a run. `end`: resolves with its files. Both throw for a record that no run can have. */
function recordChecker({ run, uploads = [], files: stored, summary }: RunRecord) {
  let [sequence, turn, ended, inTurn] = [0, 0, true, 0];
  let calls: { step: number; count: number } | undefined;
  let bytes = bytesOfFiles(uploads);
  const files = filesOfList(uploads);
  /** As they are shown: those after the last turn that changed some, with the changes of the current one. */
  const shown = filesOfList(stored ?? uploads);

  function addMessage({ role, turn: of }: TurnMessage): void {
    if (role === "input_to_agent" && (of !== turn + 1 || !ended))
      throw wrong("begins a turn before the end of another");
    if (role === "output_from_agent" && (of !== turn || ended)) throw wrong("is an output of a turn that has none");
    ended = role === "output_from_agent";
    if (!ended) [turn, inTurn, calls] = [of, 0, undefined];
  }

  function addEntry(entry: RunJournalEntry): void {
    if (entry.turn !== turn || ended) throw wrong("is of a turn that is not in progress");
    if (++inTurn > maxTurnEvents)
      throw wrong(`is one of more than ${maxTurnEvents} of a turn, the most that is accepted`);
    if (entry.part === "answer") {
      for (const call of entry.answer.toolCalls) requireTexts(call, `event ${sequence}`);
      calls = { step: entry.step, count: entry.answer.toolCalls.length };
    } else if ("call" in entry && (calls?.step !== entry.step || entry.call >= calls.count))
      throw wrong("is of a call that the last answer does not have");
    const changes = changedFiles(entry);
    change(files, changes);
    if (turn === run.turn) change(shown, changes);
    if (entry.part === "result") bytes += entry.fileBytes ?? 0;
  }

  const wrong = (why: string): Error => badBundle(`event ${sequence} ${why}`);

  return {
    add(event: Stamped<RunEvent>): void {
      sequence++;
      if (event.sequence !== sequence) throw wrong(`has the number ${event.sequence}; expected no gap`);
      if (sequence > run.sequence) throw badBundle(`it has more events than the ${run.sequence} of its run`);
      if ("part" in event) addEntry(event);
      else addMessage(event);
    },

    end(): Pick<CheckedBundle, "files" | "ended"> {
      if (sequence !== run.sequence) throw badBundle(`it has ${sequence} events, and its run ${run.sequence}`);
      if (turn !== run.turn) throw badBundle(`its events end in turn ${turn}, and its run in turn ${run.turn}`);
      if (run.status === "finished" && !ended) throw badBundle(`its run has finished, and turn ${turn} has no output`);
      if ((run.status === "technical_error") !== (run.failure !== undefined))
        throw badBundle("only a run with technical_error has a failure");
      const now = [...files.values()];
      if (textOf(now) !== textOf([...shown.values()]))
        throw badBundle("the files of its run are not those of its events");
      if (bytes !== bytesOfFiles(now))
        throw badBundle(`its events count ${bytes} bytes of files, and the files have ${bytesOfFiles(now)}`);
      const before = ended ? turn : turn - 1;
      if (stored && (before < 1 || (ended && textOf([...filesOfList(stored).values()]) !== textOf(now))))
        throw badBundle("the files of its run are not those after a turn");
      if (summary && turn < 2) throw badBundle("it has a summary, and no turn that it can be of");
      return { files: now, ended };
    },
  };
}

/** Rejects for a call whose texts are no JSON, or whose arguments have another one: people are shown the text. */
function requireTexts({ input, json, sent }: ToolCall, place: string): void {
  if (sent?.json !== undefined) parsed(sent.json, place);
  if (json !== undefined && JSON.stringify(parsed(json, place)) !== JSON.stringify(input))
    throw badBundle(`${place} has a call with the text of other arguments`);
}

function filesOfList(files: FileVersion[]): Map<string, FileVersion> {
  return new Map(files.flatMap((file) => (file.deleted ? [] : [[file.name, file] as const])));
}

function change(files: Map<string, FileVersion>, changes: FileVersion[]): void {
  for (const file of changes) {
    if (file.deleted) files.delete(file.name);
    else files.set(file.name, file);
  }
}

function textOf(files: FileVersion[]): string {
  return files
    .map(({ name, size, sha256, mtime, mode, kind, linked }) =>
      JSON.stringify([name, size, sha256, mtime, mode, kind, linked]),
    )
    .toSorted()
    .join();
}

/** Rejects for a text that is neither what a turn ran on nor, if it is one, the schema of a result. */
function checkConfiguration(content: Uint8Array, name: string, isSchema: boolean): void {
  if (isSchema) {
    const schema = parsed(textIn(content, name), name);
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) throw badBundle(`${name} is no schema`);
    return;
  }
  jsonIn(content, name, schemas.configuration);
  const problems = problemsIn(textIn(content, name));
  if (problems.length > 0) throw badBundle(`${name} is not valid: ${problems.slice(0, 3).join("; ")}`);
}

/** Why neither an agent file nor the forms of models would accept it. */
function problemsIn(text: string): string[] {
  try {
    const { agent, provider, fallbackProvider } = decodeConfiguration(text);
    for (const model of [provider, fallbackProvider]) {
      if (!model) continue;
      const { enabled, ...settings } = model;
      parseModelSettings(settings, jsonLabels, enabled);
    }
    const found = parseAgentFile(JSON.stringify(agent));
    return "problems" in found ? found.problems : [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]; // its schemas are texts of JSON
  }
}
