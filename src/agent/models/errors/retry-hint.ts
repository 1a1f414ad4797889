import { retryAfter } from "../../../net/retry-after.ts";

/**
 * The milliseconds that a provider asks to wait: `retry-after-ms`, `retry-after` in seconds, as a date or as "2s", else the words or the
 * field of the error, else when a limit is free again. Undefined: it does not say.
 */
export function askedWait(error: {
  status: number;
  text: string;
  headers: Record<string, string>;
}): number | undefined {
  const { status, text, headers } = error;
  const milliseconds = headers["retry-after-ms"];
  if (milliseconds && Number(milliseconds) >= 0) return Number(milliseconds);
  const after = headers["retry-after"];
  return (
    retryAfter(after) ?? millisecondsOf(after) ?? waitInText(text) ?? (status === 429 ? resetIn(headers) : undefined)
  );
}

const part = String.raw`(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|sec(?:ond)?s?|m|min(?:ute)?s?|h|hours?)(?![a-z])`;
const duration = new RegExp(part, "gi");
/** OpenAI and Groq: "Please try again in 1m26.4s." Azure: "Please retry after 26 seconds." Gemini: `"retryDelay":"34s"`. */
const wordsBefore = new RegExp(
  String.raw`(?:\b(?:try again|retry) (?:in|after)|"retryDelay":)\s*"?((?:${part}\s*)+)`,
  "i",
);

function waitInText(text: string): number | undefined {
  return millisecondsOf(wordsBefore.exec(text)?.[1]);
}

/** When the limits of requests and tokens are free again: those that are used up, else the first one. OpenAI, Groq. */
function resetIn(headers: Record<string, string>): number | undefined {
  const resets = ["requests", "tokens"].flatMap((limit) => {
    const wait = millisecondsOf(headers[`x-ratelimit-reset-${limit}`]);
    return wait === undefined ? [] : [{ wait, usedUp: Number(headers[`x-ratelimit-remaining-${limit}`]) <= 0 }];
  });
  const usedUp = resets.filter((reset) => reset.usedUp);
  if (usedUp.length > 0) return Math.max(...usedUp.map(({ wait }) => wait));
  return resets.length > 0 ? Math.min(...resets.map(({ wait }) => wait)) : undefined;
}

/** Of a duration such as "1m26.4s", "120ms" or "26 seconds". Undefined: it has no unit, so that it may be a time. */
function millisecondsOf(text = ""): number | undefined {
  const parts = [...text.matchAll(duration)];
  if (parts.length === 0) return undefined;
  const sum = parts.reduce((total, [, number, unit = ""]) => total + Number(number) * unitMilliseconds(unit), 0);
  return Math.round(sum);
}

function unitMilliseconds(unit: string): number {
  if (/^(ms|milli)/i.test(unit)) return 1;
  return { s: 1_000, m: 60_000, h: 3_600_000 }[unit[0]?.toLowerCase() ?? ""] ?? 0;
}
