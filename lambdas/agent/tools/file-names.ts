// Controls, invisible and unassigned characters, line and paragraph separators, and what Windows does not allow.
const unsafeName = /[\p{C}\p{Zl}\p{Zp}<>:"|?*/\\]|^[.\s]|[.\s]$|^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/iu;

/** Why a name can't be a file's; undefined when it can. */
export function fileNameProblem(name: string): string | undefined {
  if (name !== "" && Buffer.byteLength(name) <= 255 && !unsafeName.test(name)) return undefined;
  return (
    `${JSON.stringify(name.slice(0, 300))} can't name a file. Accepted: 1 to 255 bytes of UTF-8 without folders, ` +
    'the characters / \\ < > : " | ? *, control or invisible characters, dots or blanks at the start or the end, ' +
    "and none of the names that Windows reserves (CON, NUL, COM1 and the like)."
  );
}

/** Whether a name stays in the workspace. Uploaded files may have names that `write_file` would not make. */
export function isFlat(name: string): boolean {
  return name !== "" && !name.startsWith(".") && !/[/\\\0]/.test(name);
}

/** Whether two names are one file on a disk that ignores case or Unicode's ways to write the same letter. */
export function sameOnSomeDisk(a: string, b: string): boolean {
  return a.normalize("NFC").toLowerCase() === b.normalize("NFC").toLowerCase();
}
