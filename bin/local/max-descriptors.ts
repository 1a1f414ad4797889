import { readFileSync } from "node:fs";

/** Of macOS, which does not say in a file. */
const defaultMaximum = 10_240;

/** Files and connections that this process can have open. At its start, Node.js raises the limit to the highest that it may have. */
export function maxDescriptors(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? defaultMaximum : Number(soft);
  } catch {
    return defaultMaximum;
  }
}
