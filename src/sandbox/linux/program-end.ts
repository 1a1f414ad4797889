import { StringDecoder } from "node:string_decoder";
import type { LinuxResult } from "./linux-types.ts";

/** Stops a program. `why`: the end of the sentence "The program was stopped: …". */
export type Stop = (why: string) => void;

/** Of a program that changed nothing, or whose changes are not saved. */
export const noChanges: Pick<LinuxResult, "changed" | "deleted" | "notes"> = { changed: [], deleted: [], notes: [] };

/** The result of a program that did not start, or cannot be read. */
export function failedResult(problem: string): LinuxResult {
  return { output: "", problem, ...noChanges };
}

export function stoppedProblem(why: string): string {
  return `The program was stopped: ${why}. No files were saved.`;
}

/**
 * Stops a program at its time limit in seconds, or when `signal` aborts: then nobody waits for its result. Returns a function
 * that ends this.
 */
export function limitTime(seconds: number, signal: AbortSignal, stop: Stop): () => void {
  const timer = setTimeout(() => stop(`it took more than ${seconds} seconds`), seconds * 1_000);
  const onAbort = (): void => stop("its result is no longer needed");
  signal.addEventListener("abort", onAbort, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  };
}

/** What a program prints, as text. */
export interface BoundedOutput {
  add: (bytes: Buffer) => void;
  /** The program prints no more. */
  end: () => void;
  /** The text so far. */
  text: () => string;
}

/** Keeps up to `maxCharacters`, and stops a program that prints more. `onOutput` gets each part as it is written. */
export function boundedOutput(maxCharacters: number, stop: Stop, onOutput?: (text: string) => void): BoundedOutput {
  const decoder = new StringDecoder("utf8");
  const parts: string[] = [];
  let charactersLeft = maxCharacters;
  const addText = (text: string): void => {
    if (text === "" || charactersLeft < 0) return;
    parts.push(text.slice(0, charactersLeft));
    charactersLeft -= text.length;
    onOutput?.(text);
    if (charactersLeft < 0) stop(`it printed more than ${maxCharacters} characters`);
  };
  return {
    add: (bytes) => addText(decoder.write(bytes)),
    end: () => addText(decoder.end()),
    text: () => parts.join(""),
  };
}
