import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 43; // 62^43 > 2^256
const checksumLength = 6; // 62^6 > 2^32

/** The kind of a token, as its first characters say: `ak` is an API key, `ao` an operator token, `rt` the token of a run. */
export type TokenKind = "ak" | "ao" | "rt";

/** `hint`: the first characters, to recognize it by. Only `hash`, its SHA-256 in hex, is stored. */
interface IssuedToken {
  token: string;
  hash: string;
  hint: string;
}

/** A token of a run begins with the run's id, in hex. */
const shapes = { ak: shapeOf("ak"), ao: shapeOf("ao"), rt: shapeOf("rt", "[0-9a-f]{32}") };

function shapeOf(kind: TokenKind, subject = ""): RegExp {
  return new RegExp(`^${kind}_${subject}[0-9A-Za-z]{${randomLength + checksumLength}}$`);
}

/**
 * Makes a token: its kind and `_`, what it is for (`subject`), 256 random bits and a CRC-32, both in base 62. With the checksum, secret scanners and
 * `tokenHash` recognize a mistyped token without a database.
 */
export function newToken(kind: TokenKind, subject = ""): IssuedToken {
  const text = subject + toBase62(BigInt(`0x${randomBytes(32).toString("hex")}`), randomLength);
  return issued(`${kind}_${text}${toBase62(BigInt(crc32(text)), checksumLength)}`);
}

/** A token that was made before, as `newToken` returned it. Throws for any other string. */
export function knownToken(kind: TokenKind, token: string): IssuedToken {
  if (tokenHash(kind, token) === undefined) throw new Error(`expected a token of the kind ${kind}; the text is none`);
  return issued(token);
}

function issued(token: string): IssuedToken {
  return { token, hash: sha256(token), hint: token.slice(0, 9) };
}

/** SHA-256 (hex) of a well-formed token of this kind. Undefined for any other string. */
export function tokenHash(kind: TokenKind, text: string): string | undefined {
  if (!shapes[kind].test(text)) return undefined;
  const checked = text.slice(3, -checksumLength);
  return fromBase62(text.slice(-checksumLength)) === crc32(checked) ? sha256(text) : undefined;
}

/** A whole token, or most of one. At most a token's length, so that the next one after it is found, too. */
const tokenLike = /(a[ko]_[0-9A-Za-z]{6})[0-9A-Za-z]{14,43}|(rt_[0-9a-f]{6})[0-9a-f]{26}[0-9A-Za-z]{14,49}/g;

/** Whether a text contains what looks like a whole token, or most of one. */
export function containsToken(text: string): boolean {
  return text.search(tokenLike) >= 0;
}

/** The text with tokens shortened to their hints: a token that was pasted in the wrong place is not repeated. */
export function redactTokens(text: string): string {
  return text.replace(/((?:a[ko]|rt)_[0-9A-Za-z]{6})[0-9A-Za-z]+/g, "$1…");
}

/** As `redactTokens`, but only what looks like a whole token, or most of one: other texts stay to the letter. */
export function redactWholeTokens(text: string): string {
  return text.replace(tokenLike, "$1$2…");
}

function sha256(text: string): string {
  return hash("sha256", text);
}

function toBase62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; rest > 0n; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, "0");
}

/** The value of at most six base-62 digits, which a number holds exactly. */
function fromBase62(digits: string): number {
  let value = 0;
  for (let at = 0; at < digits.length; at++) value = value * 62 + alphabet.indexOf(digits.charAt(at));
  return value;
}
