import { formatDollars, formatDuration, formatNumber } from "./format.ts";

const words: Record<string, string> = { inputTokens: "input tokens", outputTokens: "output tokens" };

/** The limits of an agent file in one line: "40 steps, 500,000 tokens, 15 m". Undefined: there are none. */
export function limitsText(limits: unknown): string | undefined {
  if (typeof limits !== "object" || limits === null) return undefined;
  const texts = Object.entries(limits).map(([name, value]) => {
    if (name === "dollars") return formatDollars(Number(value), 2);
    return name === "seconds" ? secondsText(Number(value)) : `${formatNumber(Number(value))} ${words[name] ?? name}`;
  });
  return texts.length > 0 ? texts.join(", ") : undefined;
}

/** "15 m", "90 s". */
function secondsText(seconds: number): string {
  if (seconds % 60 === 0 && seconds < 3_600) return `${seconds / 60} m`;
  return seconds < 100 ? `${seconds} s` : formatDuration(seconds * 1_000);
}
