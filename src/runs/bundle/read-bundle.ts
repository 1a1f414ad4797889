import { createHash } from "node:crypto";
import * as schemas from "../../../dist/generated/run-record.js";
import { canonicalJson, findExcessiveDepth, maxJsonDepth } from "../../json.ts";
import type { SchemaValidator } from "../../schema-validator.ts";
import { sha256Of } from "../../agent/turn/files/manifest.ts";
import type { ExportedFile } from "../read/export-run.ts";
import type { RunEvent, Stamped } from "../run-types.ts";
import {
  bundleFormat,
  bundleVersion,
  configurationMember,
  contentMember,
  eventLine,
  eventsName,
  manifestName,
  partLength,
  runMember,
  type RunRecord,
  runText,
} from "./format.ts";
import { type BundleFile, type Member, openArchive, readMember, badBundle } from "./read-archive.ts";

/** Bytes of the largest file of a bundle besides contents. An event has a text of up to the size of a transcript. */
const maxTextBytes = 256 * 1024 ** 2;

/** A bundle whose files have the names, sizes and places that they can have. Their contents are checked as they are read. */
export interface OpenBundle {
  file: BundleFile;
  /** Files of events, in order. */
  parts: ListedMember[];
  run: ListedMember;
  manifest: Buffer;
  /** By hash. */
  configurations: Map<string, ListedMember>;
  /** By SHA-256. */
  contents: Map<string, ListedMember>;
}

/** A member with the hash that the manifest has. */
export type ListedMember = Member & Pick<ExportedFile, "sha256">;

/** Opens a bundle. Rejects for one that an export does not write, and for one of a later version. */
export async function openBundleFile(file: BundleFile): Promise<OpenBundle> {
  const members = await openArchive(file);
  const last = members.at(-1);
  if (last?.name !== manifestName) throw badBundle(`its last file is not ${manifestName}`);
  const manifest = await readMember(file, last, maxTextBytes);
  const { format, version, files } = jsonIn<{ format: string; version: number; files: ExportedFile[] }>(
    manifest,
    manifestName,
    schemas.manifest,
  );
  if (format !== bundleFormat)
    throw badBundle(`its format is ${JSON.stringify(format.slice(0, 100))}, not ${bundleFormat}`);
  if (version !== bundleVersion)
    throw badBundle(`it has version ${version}, and this release reads version ${bundleVersion}; update the service`);
  requireSame(manifestName, manifest, `${canonicalJson({ format, version, files })}\n`);
  if (members.length - 1 !== files.length) throw badBundle(`${manifestName} lists another number of files than it has`);
  const listed: ListedMember[] = [];
  for (const [index, { name, bytes, sha256 }] of files.entries()) {
    const member = members[index];
    if (name !== member?.name || bytes !== member.size)
      throw badBundle(`file ${index + 1} is not as ${manifestName} lists it`);
    listed.push({ ...member, sha256 });
  }
  return { file, manifest, ...placed(listed) };
}

/** The members by what they are. Rejects for a name that no file of a bundle has, and for another order. */
function placed(listed: ListedMember[]): Omit<OpenBundle, "file" | "manifest"> {
  const [run, ...others] = listed;
  if (run?.name !== runMember) throw badBundle(`its first file is not ${runMember}`);
  const parts: ListedMember[] = [];
  const [configurations, contents] = [new Map<string, ListedMember>(), new Map<string, ListedMember>()];
  let before = ""; // the hash of the file before, of the same kind
  for (const member of others) {
    const { name } = member;
    const [hash = ""] = /[0-9a-f]{64}/.exec(name) ?? [];
    if (contents.size === 0 && configurations.size === 0 && name === eventsName(parts.length + 1)) parts.push(member);
    else if (contents.size === 0 && name === configurationMember(hash) && before < hash)
      configurations.set((before = hash), member);
    else if (name === contentMember(hash) && (contents.size === 0 || before < hash))
      contents.set((before = hash), member);
    else throw badBundle(`a bundle has no file ${JSON.stringify(name)} at this place`);
  }
  for (const [hash, { sha256 }] of [...configurations, ...contents])
    if (hash !== sha256) throw badBundle(`a content is named ${hash}, and its SHA-256 is ${sha256}`);
  return { run, parts, configurations, contents };
}

/** The content of a file, with the SHA-256 of the manifest. */
export async function readListed(
  { file }: Pick<OpenBundle, "file">,
  member: ListedMember,
  maxBytes = Infinity,
): Promise<Buffer> {
  const content = await readMember(file, member, maxBytes);
  if (sha256Of(content) === member.sha256) return content;
  throw badBundle(`the SHA-256 of ${member.name} is not that of ${manifestName}`);
}

/** The record of the run. */
export async function readRunRecord(bundle: OpenBundle): Promise<RunRecord> {
  const content = await readListed(bundle, bundle.run, maxTextBytes);
  const record = jsonIn<RunRecord>(content, runMember, schemas.run);
  requireSame(runMember, content, runText(record));
  return record;
}

/** The events, in order, one file in memory at a time. Each is an event that this release can have recorded. */
export async function* readEvents(bundle: OpenBundle): AsyncGenerator<Stamped<RunEvent>> {
  for (const [index, member] of bundle.parts.entries()) {
    const lines = textIn(await readListed(bundle, member, maxTextBytes), member.name).split("\n");
    if (lines.pop() !== "") throw badBundle(`${member.name} does not end with a line`);
    let length = 0;
    for (const [number, line] of lines.entries()) {
      if (length >= partLength) throw badBundle(`${member.name} is longer than an export makes it`);
      length += line.length + 1;
      yield eventIn(line, `${member.name}, line ${number + 1}`);
    }
    if (length === 0 || (length < partLength && index < bundle.parts.length - 1))
      throw badBundle(`${member.name} is shorter than an export makes it`);
  }
}

function eventIn(line: string, place: string): Stamped<RunEvent> {
  const value = parsed(line, place);
  const isEntry = typeof value === "object" && value !== null && "part" in value;
  const validate = isEntry ? entrySchemas.get(value.part) : schemas.message;
  if (!validate) throw badBundle(`${place} has an entry that this release does not know; update the service`);
  const event = valid<Stamped<RunEvent>>(value, place, validate);
  if (eventLine(event) !== `${line}\n`) throw badBundle(`${place} is not written as an export writes it`);
  return event;
}

/** By the part of an entry. The schemas of other values accept no `part`. */
const entrySchemas = new Map<unknown, SchemaValidator>(Object.entries(schemas));

/** A JSON value that fits a schema. */
export function jsonIn<Value>(content: Uint8Array, name: string, validate: SchemaValidator): Value {
  return valid(parsed(textIn(content, name), name), name, validate);
}

/** A JSON value with a bounded depth. */
export function parsed(text: string, place: string): unknown {
  if (findExcessiveDepth(text) !== undefined)
    throw badBundle(`${place} is nested deeper than ${maxJsonDepth} levels, the most that is accepted`);
  try {
    return JSON.parse(text);
  } catch {
    throw badBundle(`${place} is not valid JSON`);
  }
}

function valid<Value>(value: unknown, place: string, validate: SchemaValidator): Value {
  if (validate(value)) return value as Value;
  const [violation] = validate.errors ?? [];
  validate.errors = null;
  const at = violation?.instancePath.slice(0, 200);
  throw badBundle(`${place}: ${at || "the value"} ${violation?.message ?? "is wrong"}`);
}

/** UTF-8 without a byte order mark. */
export function textIn(content: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw badBundle(`${name} is not UTF-8`);
  }
}

/** Rejects for a text that has another form than the export writes: the run would be exported with other bytes. */
function requireSame(name: string, content: Buffer, expected: string): void {
  if (!content.equals(Buffer.from(expected))) throw badBundle(`${name} is not written as an export writes it`);
}

/** SHA-256 (hex) of the whole bundle. */
export async function hashOf(file: BundleFile): Promise<string> {
  const sum = createHash("sha256");
  for (let at = 0; at < file.size; at += hashedAtOnce) sum.update(await file.read(at, hashedAtOnce));
  return sum.digest("hex");
}

const hashedAtOnce = 4 * 1024 ** 2;
