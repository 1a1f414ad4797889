import { foldText } from "../../../documents/encoding/fold-text.ts";
import { findSameName } from "../../../filenames.ts";

/** The file that a name means. `note`: a sentence for the model, if its name is another one. */
export interface NamedFile<File> {
  file: File;
  note?: string;
}

/** Finds a file by its name, in any Unicode form, for tools that write and delete. */
export function findWritten<File extends { name: string }>(
  files: readonly File[],
  name: string,
): NamedFile<File> | undefined {
  const file = findSameName(files, name);
  return file && noted(file, name, "in another Unicode form (NFC, NFD)");
}

/** As `findWritten`, or else the only file whose name differs in blanks, hyphens, quotes and ligatures. For tools that read. */
export function findName<File extends { name: string }>(
  files: readonly File[],
  name: string,
): NamedFile<File> | undefined {
  const same = findWritten(files, name);
  if (same) return same;
  const plain = foldText(name).text;
  const [file, ...others] = files.filter((each) => foldText(each.name).text === plain);
  return file && others.length === 0 ? noted(file, name, "with other blanks, hyphens or quotes") : undefined;
}

function noted<File extends { name: string }>(file: File, name: string, how: string): NamedFile<File> {
  if (file.name === name) return { file };
  return { file, note: `The name of the file is ${JSON.stringify(file.name)}, ${how}.` };
}
