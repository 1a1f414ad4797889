/** Bytes of UTF-8: the limit of ext4, APFS and NTFS for one name. */
const maxBytes = 255;
/** Bytes of UTF-8 of a path. Programs and archives accept 4,096 on Linux, 1,024 on macOS. */
const maxPathBytes = 1_000;
const maxExtensionBytes = 32;
const defaultName = "file";

// Control characters (C0, C1), surrogates, which UTF-8 cannot store, and noncharacters. Characters that reorder or hide
// text (Unicode TR 36, section 2.10): marks, embeddings, overrides, isolates, fillers, tags, BOM. The joiners and the
// selectors below are kept where they have a meaning.
const unsafeCharacters =
  /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb[\p{Default_Ignorable_Code_Point}--[\p{Join_Control}\ufe00-\ufe0f]]]/gv;
// A joiner after another one, and a variation selector that does not follow an emoji.
const hiddenModifiers =
  /(?<=\p{Join_Control}\p{Variation_Selector}*)\p{Join_Control}|(?<!\p{Emoji})\p{Variation_Selector}/gu;
// Dots and blanks in any order, and what is invisible at an end. Windows drops trailing dots and blanks, which would
// cause collisions.
const untrimmed = /^[.\s\p{Join_Control}\p{Variation_Selector}]+|[.\s\p{Join_Control}\p{Variation_Selector}]+$/gu;
// Names that Windows reserves, with any extension and any blanks before it.
const reserved = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)/i;

/**
 * Returns a function that converts names of uploaded files to names in a workspace, one after the other.
 * - Path components, leading dots and unsafe characters are removed. Letters are composed (NFC).
 * - Names are shortened to 255 bytes of UTF-8. The extension is kept.
 * - Names that collide on a common file system (ignoring case, in NFC) get ` (2)`, ` (3)` … before the extension.
 */
export function safeFilenames(): (name: string) => string {
  const takenKeys = new Set<string>();
  return (name) => {
    const safe = safeFilename(name);
    let unique = safe;
    for (let n = 2; takenKeys.has(collisionKey(unique)); n++) unique = withSuffix(safe, ` (${n})`);
    takenKeys.add(collisionKey(unique));
    return unique;
  };
}

/** Names that need no further check. A program can write 2,000 files, and the check of any name takes 10 to 20 µs. */
const plainName = /^[A-Za-z0-9_](?:[\w .()+,=@-]{0,200}[\w)])?$/;

/**
 * Why a new file of a workspace cannot have this name, for the model. A name is a relative path. Accepted are paths whose
 * every segment is a name that `safeFilenames` does not change.
 */
export function filenameProblem(name: string): string | undefined {
  const bytes = Buffer.byteLength(name);
  if (bytes <= maxPathBytes && name.split("/").every(isSafe)) return undefined;
  return (
    `${JSON.stringify(name.slice(0, 300))} is not a valid file name. Accepted: a path such as a.csv or reports/a.csv, ` +
    `relative to the workspace, of at most ${maxPathBytes} bytes of UTF-8. Each part has 1 to ${maxBytes} bytes without ` +
    'the characters \\ < > : " | ? *, control or invisible characters, dots or blanks at the start or the end, ' +
    "and none of the names that Windows reserves (CON, NUL, COM1 and the like)."
  );
}

/**
 * Whether a part of a path can be kept as a program chose it: everything that Linux accepts, but a backslash, which separates
 * folders elsewhere, and control and invisible characters.
 */
export function isKeptName(part: string): boolean {
  if (plainName.test(part)) return true;
  if (part === "" || part === "." || part === ".." || part.includes("/") || part.includes("\\")) return false;
  return Buffer.byteLength(part) <= maxBytes && part.replace(unsafeCharacters, "") === part;
}

/** Whether a path can be kept as a program chose it. */
export function isKeptPath(name: string): boolean {
  return Buffer.byteLength(name) <= maxPathBytes && name.split("/").every(isKeptName);
}

function isSafe(name: string): boolean {
  return (plainName.test(name) && !reserved.test(name)) || safeFilename(name) === name.normalize("NFC");
}

/** Whether a name can only refer to one visible file directly in the workspace. */
export function isFlatName(name: string): boolean {
  return name !== "" && !name.startsWith(".") && !/[/\\\0]/.test(name) && name.isWellFormed();
}

/** Whether a name can only refer to one file of the workspace: no part of it leads to another folder. */
export function isPathWithin(name: string): boolean {
  return !/[\\\0]/.test(name) && name.isWellFormed() && !name.split("/").some((part) => ["", ".", ".."].includes(part));
}

/**
 * Returns a flat name unchanged. Throws an Error for a path and for an empty, hidden or ill-formed name. Every workspace
 * store calls it, as defense in depth.
 */
export function requireFlatName(name: string): string {
  if (isFlatName(name)) return name;
  throw new Error(
    `${JSON.stringify(name)} is not a valid name of a workspace file: it is empty, hidden, a path or not well-formed`,
  );
}

/**
 * The name under which a workspace store keeps a content. It starts with a dot, so that it differs from the names of files
 * that version 0.1 stored beside it. Throws an Error for anything but a SHA-256 in lower-case hex digits.
 */
export function contentName(sha256: string): string {
  if (/^[0-9a-f]{64}$/.test(sha256)) return `.sha256-${sha256}`;
  throw new Error(`${JSON.stringify(sha256)} is not a SHA-256 of 64 lower-case hex digits`);
}

/** The same for two names that refer to one file on a file system that ignores case or normalizes Unicode. */
export function collisionKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/**
 * The file of this name, or else of the same name in another Unicode form: systems of Apple decompose letters, models and most programs
 * do not. Undefined: there is none.
 */
export function findSameName<File extends { name: string }>(files: readonly File[], name: string): File | undefined {
  const exact = files.find((file) => file.name === name);
  if (exact) return exact;
  const composed = name.normalize("NFC");
  return files.find((file) => file.name.normalize("NFC") === composed);
}

function safeFilename(name: string): string {
  // Systems of Apple send letters and their marks apart; models and programs write them together.
  const base = name.replace(unsafeCharacters, "").normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  const trimmed = base
    .replace(/[<>:"|?*]/g, "_")
    .replace(hiddenModifiers, "")
    .replace(untrimmed, "");
  if (trimmed === "") return defaultName;
  // Trimmed again, because the end of the shortened name may be one of these characters.
  return withSuffix(reserved.test(trimmed) ? `_${trimmed}` : trimmed, "").replace(untrimmed, "");
}

/** Inserts `suffix` before the extension and shortens the stem between code points, so that all fits in 255 bytes. */
function withSuffix(name: string, suffix: string): string {
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= maxExtensionBytes ? name.slice(dot) : "";
  const stem = name.slice(0, name.length - extension.length);
  return truncate(stem, maxBytes - Buffer.byteLength(suffix + extension)) + suffix + extension;
}

function truncate(text: string, bytes: number): string {
  let kept = "";
  let size = 0;
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > bytes) break;
    kept += character;
  }
  return kept;
}
