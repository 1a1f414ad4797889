import { type Attachment, exactInput } from "../../agent/model.ts";
import type { FileVersion } from "../../agent/turn/files/manifest.ts";
import { filenameProblem, isKeptPath } from "../../filenames.ts";
import { plainJson } from "../../json.ts";
import type { RunEvent, RunJournalEntry } from "../../runs/run-types.ts";
import { NotRedactable, type Redactor } from "./redactor.ts";

/** What replaces a content: the hash and the size of another one. By SHA-256. */
export type Replaced = Map<string, Pick<FileVersion, "sha256" | "size">>;

interface RecordRedactor {
  event(event: RunEvent): Promise<RunEvent>;
  files(files: FileVersion[]): Promise<FileVersion[]>;
}

/**
 * Redacts the texts, arguments and names of a record. Reasoning and the provider's own form of an answer are left out: they can
 * be signed or encrypted. So are arguments as the model sent them, where others are used. Hashes of requests stay: they are those of the turn as it was.
 */
export function recordRedactor(redactor: Redactor, replaced: Replaced): RecordRedactor {
  const names = new Map<string, string>();
  const { text, value } = redactor;

  async function fileName(name: string): Promise<string> {
    const known = names.get(name);
    if (known !== undefined) return known;
    const result = await text(name);
    const problem = isKeptPath(result) ? undefined : filenameProblem(result);
    if (problem !== undefined) throw new NotRedactable(`The name of a file cannot be redacted: ${problem}`);
    if ([...names.values()].includes(result)) {
      throw new NotRedactable(`Two files would get the name ${JSON.stringify(result)}; use other replacements.`);
    }
    names.set(name, result);
    return result;
  }

  async function withName<File extends { name: string; sha256?: string }>(file: File): Promise<File> {
    const name = await fileName(file.name);
    return { ...file, name, ...(file.sha256 !== undefined && replaced.get(file.sha256)) };
  }

  async function files(given: FileVersion[]): Promise<FileVersion[]> {
    const result: FileVersion[] = [];
    for (const { sentAs: _, ...file } of given) result.push(await withName(file));
    return result;
  }

  async function attachmentsOf(given: Attachment[]): Promise<Attachment[]> {
    const result: Attachment[] = [];
    for (const shown of given) {
      const { name, sha256 } = await withName(shown);
      result.push({ ...shown, name, ...(sha256 !== undefined && { sha256 }) });
    }
    return result;
  }

  async function entry(given: RunJournalEntry): Promise<RunJournalEntry> {
    switch (given.part) {
      case "answer": {
        const { answer, checked: _, note, ...others } = given;
        const { echo: _echo, reasoning: _reasoning, ...kept } = answer;
        const toolCalls = [];
        for (const { id, name, invalid, ...call } of answer.toolCalls) {
          const reason = invalid !== undefined && { invalid: await text(invalid) };
          const { value: input, json } = plainJson(await value(exactInput(call)));
          toolCalls.push({ id, name, input, ...(json !== undefined && { json }), ...reason });
        }
        const redacted = { ...kept, text: await text(answer.text), toolCalls };
        return { ...others, answer: redacted, ...(note !== undefined && { note: await text(note) }) };
      }
      case "answered": {
        const { answer } = given;
        const changed = { ...answer };
        if ("text" in changed) changed.text = await text(changed.text);
        if ("reason" in changed && changed.reason !== undefined) changed.reason = await text(changed.reason);
        if ("files" in changed && changed.files) changed.files = await files(changed.files);
        return { ...given, answer: changed };
      }
      case "result": {
        const { manifest: _, structured, ...others } = given;
        const { attachments, ...result } = given.result;
        const shown = attachments && { attachments: await attachmentsOf(attachments) };
        return {
          ...others,
          result: { ...result, text: await text(result.text), ...shown },
          ...(structured !== undefined && { structured: await text(structured) }),
          ...(given.files && { files: await files(given.files) }),
        };
      }
      case "summary":
        return { ...given, text: await text(given.text) };
      case "failed": {
        const { failure, note, ...others } = given;
        const title = await text(failure.title);
        return { ...others, failure: { ...failure, title }, ...(note !== undefined && { note: await text(note) }) };
      }
      case "began":
      case "asked":
      case "resumed":
      case "forked":
        return given;
    }
  }

  return {
    files,
    event: async (event) => ("part" in event ? entry(event) : { ...event, text: await text(event.text) }),
  };
}
