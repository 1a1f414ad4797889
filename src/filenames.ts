const maxBytes = 255; // of UTF-8: the limit of ext4, APFS and NTFS for one name
const maxExtensionBytes = 32;
const unnamed = "file";

// C0 and C1 controls, and what reorders or hides text: marks, embeddings, overrides, isolates, zero-width, BOM
// (Unicode TR 36, section 2.10). Surrogates can't be stored as UTF-8.
const unsafeCharacters = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
// Names that Windows reserves, whatever their extension and the blanks before it.
const reserved = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)/i;

/**
 * Gives one file after the other the name under which it is kept in a run's workspace: path components, leading dots and
 * unsafe characters are stripped, at most 255 bytes of UTF-8 with the extension kept. Names that would collide on any
 * common file system (compared without case, in NFC) get ` (2)`, ` (3)` … before the extension.
 */
export function safeFilenames(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    const safe = safeFilename(name);
    let unique = safe;
    for (let n = 2; taken.has(collisionKey(unique)); n++) unique = withSuffix(safe, ` (${n})`);
    taken.add(collisionKey(unique));
    return unique;
  };
}

/** Why a new file can't have exactly this name: those accepted are those that `safeFilenames` keeps as they are. */
export function filenameProblem(name: string): string | undefined {
  if (safeFilename(name) === name) return undefined;
  return (
    `${JSON.stringify(name.slice(0, 300))} can't name a file. Accepted: 1 to 255 bytes of UTF-8 without folders, ` +
    'the characters / \\ < > : " | ? *, control or invisible characters, dots or blanks at the start or the end, ' +
    "and none of the names that Windows reserves (CON, NUL, COM1 and the like)."
  );
}

/** Whether a name can only be that of one visible file in the workspace itself. */
export function isFlatName(name: string): boolean {
  return name !== "" && !name.startsWith(".") && !/[/\\\0]/.test(name) && name.isWellFormed();
}

/**
 * The last line of defence of every workspace store: the name as it is, when it is flat. Throws an Error for an empty,
 * hidden or ill-formed name and for a path, whatever a caller let through.
 */
export function requireFlatName(name: string): string {
  if (isFlatName(name)) return name;
  throw new Error(`${JSON.stringify(name)} can't name a file of a workspace: it is empty, hidden, a path or no text`);
}

/** Whether two names are one file on a disk that ignores case or Unicode's ways to write the same letter. */
export function namesCollide(a: string, b: string): boolean {
  return collisionKey(a) === collisionKey(b);
}

function safeFilename(name: string): string {
  const base = name.replace(unsafeCharacters, "").split(/[/\\]/).at(-1) ?? "";
  // Leading dots and blanks in any mixture; trailing ones are dropped by Windows and would collide there.
  const trimmed = base.replace(/[<>:"|?*]/g, "_").replace(/^[.\s]+|[.\s]+$/gu, "");
  if (trimmed === "") return unnamed;
  // Trimmed again: what was inside of a long name may be the end of the cut one.
  return withSuffix(reserved.test(trimmed) ? `_${trimmed}` : trimmed, "").replace(/[.\s]+$/u, "");
}

/** `suffix` goes before the extension; the stem is cut at a code point so that all fits into 255 bytes. */
function withSuffix(name: string, suffix: string): string {
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= maxExtensionBytes ? name.slice(dot) : "";
  const stem = name.slice(0, name.length - extension.length);
  return cut(stem, maxBytes - Buffer.byteLength(suffix + extension)) + suffix + extension;
}

function cut(text: string, bytes: number): string {
  let kept = "";
  let size = 0;
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > bytes) break;
    kept += character;
  }
  return kept;
}

function collisionKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
