import { openText } from "../../../documents/encoding/decode-text.ts";
import { damagePlaces } from "../../../documents/encoding/utf8-damage.ts";
import { type FileInfo, joinLimited } from "./files.ts";

/** Files that are checked for one program, and their bytes together: they are read only for this. */
const maxFiles = 10;
const maxBytes = 16 * 1024 * 1024;

/** A program that has one of these words handles encodings itself. */
const handlesEncodings = /iconv|encod|decod|latin-?1|cp125\d|utf-?16/i;

/**
 * Names the text files that a program uses and that are not UTF-8: `grep` finds nothing in UTF-16, and no error says so. A
 * program uses a file whose name it has, or whose ending is in a pattern such as `*.csv`. `read`: the content of a file.
 * Returns sentences for the model, none for most programs.
 */
export async function encodingNotes(
  program: string,
  files: readonly FileInfo[],
  read: (name: string) => Promise<Uint8Array | undefined>,
): Promise<string[]> {
  if (handlesEncodings.test(program)) return [];
  const words = new Set(program.split(/[^\w.\-\u0080-\uffff]+/));
  const endings = [...program.matchAll(/\*(\.\w+)/g)].map(([, ending = ""]) => ending);
  const isUsed = ({ name }: FileInfo) =>
    name
      .split("/")
      .at(-1)
      ?.split(/[^\w.\-\u0080-\uffff]+/)
      .every((word) => words.has(word)) === true || endings.some((ending) => name.endsWith(ending));
  const found: string[] = [];
  let left = maxBytes;
  for (const { name, size } of files.filter(isUsed).slice(0, maxFiles)) {
    if (size > left) continue;
    left -= size;
    const file = openText((await read(name)) ?? new Uint8Array());
    if ("damage" in file && file.damage) {
      found.push(`${JSON.stringify(name)} (UTF-8 but for ${damagePlaces(file.damage)})`);
    } else if ("parts" in file && file.encoding !== "utf-8") {
      found.push(`${JSON.stringify(name)} (${file.encoding}${file.guessed === undefined ? "" : ", a guess"})`);
    }
  }
  if (found.length === 0) return [];
  return [`Not UTF-8: ${joinLimited(found)}. The program got the bytes as they are; ${remedy}`];
}

const remedy = "name the encoding when it reads them, or convert them first. read_file decodes them.";
