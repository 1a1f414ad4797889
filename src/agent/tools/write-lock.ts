import { type Semaphore, semaphore } from "../../async/semaphore.ts";
import type { Files } from "./tool.ts";

const writers = new WeakMap<Files, Semaphore>();

/**
 * Does what looks at the files and then changes them, in the order in which it was asked for: of two edits of one file
 * that a model asks for in one answer, the second has to find what the first left behind.
 */
export function withWriteLock<Value>(files: Files, work: () => Promise<Value>): Promise<Value> {
  const alone = writers.get(files) ?? semaphore(1);
  writers.set(files, alone);
  return alone(work);
}
