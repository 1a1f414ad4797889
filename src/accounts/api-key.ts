import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 43; // 62^43 > 2^256
const checksumLength = 6; // 62^6 > 2^32
const keyShape = new RegExp(`^ak_[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/**
 * Makes an API key: `ak_`, 256 random bits and a CRC-32, both in base 62. With the checksum, secret scanners and
 * `keyHash` recognize a mistyped key without a database. Only `hash` is stored.
 */
export function newApiKey(): { key: string; hash: string; hint: string } {
  const random = toBase62(BigInt(`0x${randomBytes(32).toString("hex")}`), randomLength);
  const key = `ak_${random}${toBase62(BigInt(crc32(random)), checksumLength)}`;
  return { key, hash: sha256(key), hint: key.slice(0, 9) };
}

/** SHA-256 (hex) of a well-formed key. Undefined for any other string. */
export function keyHash(key: string): string | undefined {
  if (!keyShape.test(key)) return undefined;
  const random = key.slice(3, 3 + randomLength);
  return fromBase62(key.slice(-checksumLength)) === crc32(random) ? sha256(key) : undefined;
}

/** The text with API keys shortened to their hints: a key that was pasted in the wrong place is not repeated. */
export function redactKeys(text: string): string {
  return text.replace(/(ak_[0-9A-Za-z]{6})[0-9A-Za-z]+/g, "$1…");
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
  for (const digit of digits) value = value * 62 + alphabet.indexOf(digit);
  return value;
}
