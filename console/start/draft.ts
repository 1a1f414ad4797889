import type { Draft } from "../form/json.ts";

/** A file of a run that is not started yet. */
export interface StartFile {
  name: string;
  size: number;
  blob: Blob;
}

/** What is entered in the dialog "Start run". */
export interface StartDraft {
  /** Undefined: there is no active agent. */
  agentId: string | undefined;
  name: string;
  text: string;
  files: StartFile[];
  /** What else the run is to have, as in the body of its create. */
  choices: Draft;
}

/** Adds chosen or dropped files. A file replaces the one with its name. */
export function withFiles(draft: StartDraft, files: Iterable<File>): StartDraft {
  const added = [...files].map((file) => ({ name: file.name, size: file.size, blob: file }));
  const names = new Set(added.map(({ name }) => name));
  return { ...draft, files: [...draft.files.filter(({ name }) => !names.has(name)), ...added] };
}

/** Whether closing the dialog would lose something. */
export function hasContent({ name, text, files, choices }: StartDraft): boolean {
  return name.trim() !== "" || text.trim() !== "" || files.length > 0 || Object.keys(choices).length > 0;
}
