import {
  bytesOutput,
  defineCommand,
  latin1FromBytes,
  type ResolvedCommandContext,
  unsafeBytesFromLatin1,
} from "just-bash";

/** `iconv [-c] -f ENCODING -t ENCODING [FILE…]` with the encodings of TextDecoder. Writes UTF-8, UTF-16 and single bytes. */
export const iconv = defineCommand("iconv", async (args, context) => {
  const encodings = { f: "utf-8", t: "utf-8" };
  const names: string[] = [];
  let ignore = false;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    const option = /^(?:-([ft])(.*)|--(from|to)-code=(.*))$/s.exec(arg);
    if (option) {
      const letter = (option[1] ?? option[3]?.[0]) as "f" | "t";
      encodings[letter] = option[4] ?? (option[2] || (args[++index] ?? ""));
    } else if (arg === "-c") ignore = true;
    else names.push(arg);
  }
  try {
    const parts = names.map((name) => context.fs.readFileBuffer(context.fs.resolvePath(context.cwd, name)));
    const bytes = names.length > 0 ? Buffer.concat(await Promise.all(parts)) : stdinBytes(context);
    ignore ||= /\/\/(IGNORE|TRANSLIT)/i.test(encodings.t);
    const text = decode(bytes, encodings.f, ignore);
    const output = Buffer.from(encode(text, encodings.t, ignore)).toString("latin1");
    return { ...bytesOutput(unsafeBytesFromLatin1(output)), stderr: "", exitCode: 0 };
  } catch (error) {
    return { stdout: "", stderr: `iconv: ${(error as Error).message}\n`, exitCode: 1 };
  }
});

function stdinBytes(context: ResolvedCommandContext): Buffer {
  return Buffer.from(latin1FromBytes(context.stdin), "latin1");
}

const labels: Record<string, string> = { cp932: "shift_jis", sjis: "shift_jis", eucjp: "euc-jp", utf16: "utf-16" };

function labelOf(encoding: string): string {
  const name = encoding.toLowerCase().replace(/\/\/.*$/, "");
  return labels[name.replaceAll(/[-_]/g, "")] ?? name;
}

function decode(bytes: Uint8Array, encoding: string, ignore: boolean): string {
  const label = labelOf(encoding);
  const isBigEndian = label === "utf-16" && bytes[0] === 0xfe && bytes[1] === 0xff;
  try {
    return new TextDecoder(isBigEndian ? "utf-16be" : label, { fatal: !ignore }).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) throw new Error(`encoding ${encoding} is not supported`, { cause: error });
    throw new Error(`the input is not valid ${encoding}`, { cause: error });
  }
}

function encode(text: string, encoding: string, ignore: boolean): Uint8Array {
  const label = labelOf(encoding);
  if (/^utf-?8$/.test(label)) return Buffer.from(text);
  if (/^utf-?16(le)?$/.test(label)) return Buffer.from(text, "utf16le");
  if (/^utf-?16be$/.test(label)) return Buffer.from(text, "utf16le").swap16();
  const byte = singleBytes(label, encoding);
  const substitute = /\/\/TRANSLIT/i.test(encoding) ? "?" : "";
  const bytes: number[] = [];
  for (const character of text) {
    const code = byte.get(character) ?? (ignore ? byte.get(substitute) : undefined);
    if (code !== undefined) bytes.push(code);
    else if (!ignore)
      throw new Error(`${encoding} has no ${JSON.stringify(character)}; use ${encoding}//TRANSLIT or -c`);
  }
  return Uint8Array.from(bytes);
}

/** The byte of each character. */
function singleBytes(label: string, encoding: string): Map<string, number> {
  let decoder: InstanceType<typeof TextDecoder>;
  try {
    decoder = new TextDecoder(label);
  } catch (error) {
    throw new Error(`encoding ${encoding} is not supported`, { cause: error });
  }
  const size = /^(us-)?ascii$/.test(label) ? 128 : 256;
  const characters = Array.from({ length: size }, (_, code): [string, number] => [
    decoder.decode(Uint8Array.of(code)),
    code,
  ]);
  if (characters.filter(([character]) => character === "\ufffd").length > 64) {
    throw new Error(`writing ${encoding} is not supported, only UTF-8, UTF-16 and encodings of one byte`);
  }
  return new Map(characters);
}

const units: Record<string, (date: Date, count: number) => void> = {
  sec: (date, count) => date.setUTCSeconds(date.getUTCSeconds() + count),
  min: (date, count) => date.setUTCMinutes(date.getUTCMinutes() + count),
  hour: (date, count) => date.setUTCHours(date.getUTCHours() + count),
  day: (date, count) => date.setUTCDate(date.getUTCDate() + count),
  week: (date, count) => date.setUTCDate(date.getUTCDate() + 7 * count),
  fortnight: (date, count) => date.setUTCDate(date.getUTCDate() + 14 * count),
  month: (date, count) => date.setUTCMonth(date.getUTCMonth() + count),
  year: (date, count) => date.setUTCFullYear(date.getUTCFullYear() + count),
};
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const relativeItem =
  /(?<sign>[+-])?\s*(?<![\d:]|\d-)(?<count>\d+|next|last|a)?\s*\b(?<unit>sec|min|hour|day|week|fortnight|month|year)(?:ond|ute)?s?\b(?<ago>\s+ago)?/gi;
const weekdayItem = /\b(?:(next|last)\s+)?(sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?\b/i;

/** Adds items such as `+3 days`, `2 weeks ago` and `next friday` to the dates that just-bash reads. Computes in UTC. */
export const date = defineCommand("date", async (args, context) => {
  const original = context.origCommand;
  if (!original) throw new Error("date replaces no command");
  const index = args.findIndex((arg) => /^(-d|--date)/.test(arg));
  const option = args[index] ?? "";
  const isSeparate = option === "-d" || option === "--date";
  const text = isSeparate ? (args[index + 1] ?? "") : option.replace(/^(-d|--date=)/, "");
  const moves: ((date: Date) => void)[] = [];
  const base = text
    .replaceAll(relativeItem, (...match) => {
      const { sign, count = "1", unit = "", ago } = match.at(-1) as Record<string, string | undefined>;
      const size = count === "last" ? -1 : /^\d/.test(count) ? Number(count) : 1;
      const direction = (sign === "-" ? -1 : 1) * (ago ? -1 : 1);
      moves.push((moved) => units[unit.toLowerCase()]?.(moved, size * direction));
      return " ";
    })
    .replace(weekdayItem, (whole, which: string | undefined, name: string) => {
      if (/\d/.test(text) && which === undefined) return whole; // such as Tue, 05 Mar 2024
      moves.push((moved) => {
        const days = (weekdays.indexOf(name.slice(0, 3).toLowerCase()) - moved.getUTCDay() + 7) % 7;
        moved.setUTCHours(0, 0, 0, 0);
        const back = which?.toLowerCase() === "last" ? -7 : 0;
        moved.setUTCDate(moved.getUTCDate() + (days === 0 && which?.toLowerCase() === "next" ? 7 : days) + back);
      });
      return " ";
    })
    .trim();
  if (index < 0 || moves.length === 0) return original(args);
  const started = await original(["-d", base || "now", "+%s"]);
  if (started.exitCode !== 0) return { ...started, stderr: `date: invalid date '${text}'\n` };
  const moved = new Date(Number(started.stdout) * 1000);
  for (const move of moves) move(moved);
  return original(args.toSpliced(index, isSeparate ? 2 : 1, "-d", `@${Math.floor(moved.getTime() / 1000)}`));
});
