import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { semaphore } from "../../async/semaphore.ts";
import { withTimeout } from "../../async/with-timeout.ts";
import { searchFiles, workspaceLimits } from "./definitions.ts";
import { decodeText } from "../../documents/decode-text.ts";
import { builtInTool, errorOutput, type Files, type Tool } from "./tool.ts";

interface Found {
  lines: { file: string; line: number; text: string }[];
  /** More lines match than there are in `lines`. */
  more: boolean;
  searched: number;
  skipped: string[];
}

interface Search {
  pattern: string;
  glob?: string;
  ignore_case?: boolean;
}

/** Of this process; each takes a thread of 3 MB. The time of those that wait is not counted. */
const searches = semaphore(4);

/** `search_files`. */
export const searchFilesTool: Tool = builtInTool(searchFiles, async (input: Search, { files, signal }) => {
  try {
    new RegExp(input.pattern, flags(input));
  } catch (error) {
    return errorOutput(
      `${(error as Error).message}. Accepted: a JavaScript regular expression without slashes around it.`,
    );
  }
  const found = await searches(() =>
    withTimeout(workspaceLimits.searchSeconds * 1000, signal, (cut) => searchAll(input, files, cut)),
  );
  if (found.timedOut) {
    return errorOutput(
      `The search took more than ${workspaceLimits.searchSeconds} seconds. Use a simpler pattern (no repetition ` +
        "within a repetition), or a glob for fewer files.",
    );
  }
  const { lines, more, searched, skipped } = found.value;
  const notes = [
    ...(lines.length === 0 ? [`No line matches in ${searched} files.`] : []),
    ...(more ? [`[More than ${workspaceLimits.matches} lines match: these are the first.]`] : []),
    ...(skipped.length > 0 ? [`[Not searched, as they are not text: ${skipped.slice(0, 20).join(", ")}.]`] : []),
  ];
  return { text: [...lines.map(({ file, line, text }) => `${file}:${line}: ${text}`), ...notes].join("\n") };
});

async function searchAll(input: Search, files: Files, signal: AbortSignal): Promise<Found> {
  const names = (await files.list()).map(({ name }) => name);
  const worker = new Worker(workerSource, {
    eval: true,
    env: {},
    workerData: { pattern: input.pattern, flags: flags(input), max: workspaceLimits.matches + 1 },
  });
  const stop = () => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const found: Found = { lines: [], more: false, searched: 0, skipped: [] };
    for (const name of await ask<string[]>(worker, { names, glob: input.glob ?? "*" })) {
      signal.throwIfAborted();
      const bytes = await files.read(name);
      const content = bytes && decodeText(bytes);
      if (!content) continue;
      if ("binary" in content) {
        found.skipped.push(name);
        continue;
      }
      found.searched++;
      const matches = await ask<{ line: number; text: string }[]>(worker, { text: content.text });
      for (const { line, text } of matches) found.lines.push({ file: name, line, text });
      found.more = found.lines.length > workspaceLimits.matches;
      if (found.more) break;
    }
    return { ...found, lines: found.lines.slice(0, workspaceLimits.matches) };
  } finally {
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}

function flags({ ignore_case: ignoreCase = false }: Search): string {
  return ignoreCase ? "ui" : "u";
}

/** The next thing that the worker says. Rejects when it ends before. */
async function ask<Answer>(worker: Worker, question: object): Promise<Answer> {
  const asked = new AbortController();
  const { signal } = asked;
  worker.postMessage(question); // oxlint-disable-line unicorn/require-post-message-target-origin -- that is a window's
  try {
    // `once` rejects when the worker emits an error.
    const [answer] = await Promise.race([
      once(worker, "message", { signal }),
      once(worker, "exit", { signal }).then(() => Promise.reject(new Error("the search was ended"))),
    ]);
    return answer as Answer;
  } finally {
    asked.abort();
  }
}

// A thread of its own, as source text because bundles are one file: a pattern that takes for ever blocks nothing else
// there, and the thread can be ended in the middle of it. A line is given with at most 300 characters around the match.
const workerSource = `
const { parentPort, workerData } = require("node:worker_threads");
const { matchesGlob } = require("node:path").posix;
const expression = new RegExp(workerData.pattern, workerData.flags);
parentPort.on("message", ({ names, glob, text }) => {
  if (names) return parentPort.postMessage(names.filter((name) => matchesGlob(name, glob)));
  const found = [];
  for (const [index, line] of text.split(/\\r?\\n/).entries()) {
    const match = expression.exec(line);
    if (!match) continue;
    const start = Math.max(0, Math.min(match.index - 100, line.length - 300));
    found.push({ line: index + 1, text: line.slice(start, start + 300) });
    if (found.length >= workerData.max) break;
  }
  parentPort.postMessage(found);
});
`;
