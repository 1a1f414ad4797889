import type { FileVersion, Manifest } from "./manifest.ts";
import { SeenFiles } from "./seen-files.ts";

/** A call that has changed files. Its result is not recorded yet. */
export interface Writer {
  changes: Map<string, FileVersion>;
  /** The files with the changes of earlier writers and its own, as of `version`. */
  seen?: { files: SeenFiles; version: number };
  /** Settles when its result has been passed on to be recorded, or never will be. */
  submitted: PromiseWithResolvers<void>;
}

/** The changes of calls whose results are not recorded, in the order of the calls' first changes. */
export class PendingChanges {
  readonly #recorded: () => Manifest;
  readonly #writers: Writer[] = [];
  /** Counts the changes, and the writers that have left. */
  #version = 0;

  /** `recorded`: the files of the recorded results. */
  constructor(recorded: () => Manifest) {
    this.#recorded = recorded;
  }

  start(): Writer {
    const writer: Writer = { changes: new Map(), submitted: Promise.withResolvers() };
    this.#writers.push(writer);
    return writer;
  }

  /** The calls whose first change was before that of `writer`. */
  before(writer: Writer): Writer[] {
    return this.#writers.slice(0, this.#writers.indexOf(writer));
  }

  seenBy(writer: Writer): SeenFiles {
    if (writer.seen?.version === this.#version) return writer.seen.files;
    const files = new SeenFiles(this.#recorded().values());
    for (const each of [...this.before(writer), writer]) {
      for (const changed of each.changes.values()) files.apply(changed);
    }
    writer.seen = { files, version: this.#version };
    return files;
  }

  change(writer: Writer, file: FileVersion): void {
    const files = this.seenBy(writer);
    writer.changes.set(file.name, file);
    files.apply(file);
    writer.seen = { files, version: ++this.#version };
  }

  /** Removes a call: its changes are recorded or dropped. Idempotent. */
  leave(writer: Writer): void {
    writer.submitted.resolve();
    this.#version++;
    const place = this.#writers.indexOf(writer);
    if (place >= 0) this.#writers.splice(place, 1);
  }
}
