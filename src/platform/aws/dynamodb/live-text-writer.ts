import { growingParts } from "../../../agent/reasoning.ts";
import type { TextWriter } from "../../../runs/read/live-text.ts";
import type { WrittenText } from "../../../runs/read/search/written-text.ts";

/** Milliseconds from the begin of a write to that of the next. */
const writeInterval = 1_000;
/** Bytes of a map in an item, with the names and the number in it. */
const thinkingOverhead = 40;
/** Bytes of UTF-8 that are kept of an answer. With its keys and numbers, the item has at most 4 KB: four write units. */
const maxBytes = 3_900;

type Part = Pick<WrittenText, "from" | "text" | "thinking">;

/**
 * A writer that stores the end of an answer while somebody watches: the first characters at once, then at most once a second.
 * `put` is never awaited by the turn, and only one is in progress. A text whose `put` fails is dropped: another one follows.
 * `end` aborts its signal, and nothing is stored afterwards. `wake`: somebody watches.
 */
export function textWriter(
  { isWatched, showsThinking }: { isWatched: () => boolean; showsThinking: boolean },
  put: (part: Part, signal: AbortSignal) => Promise<void>,
): TextWriter & { wake: () => void } {
  const ended = new AbortController();
  let text = "";
  let reasoning = "";
  let stored = "";
  let hasText = false; // of what is stored
  let storing = false;
  let timer: NodeJS.Timeout | undefined;
  let nextAt = 0;

  function wake(): void {
    if (ended.signal.aborted || storing || timer || !isWatched() || text + reasoning === stored) return;
    const wait = nextAt - Date.now();
    if (wait > 0) timer = setTimeout(onTime, wait);
    else store();
  }

  function onTime(): void {
    timer = undefined;
    wake();
  }

  function store(): void {
    stored = text + reasoning;
    const part = partOf(growingParts(text, reasoning), showsThinking);
    if (part.text === "" && !part.thinking && !hasText) return;
    hasText = part.text !== "";
    storing = true;
    nextAt = Date.now() + writeInterval;
    const done = (): void => {
      storing = false;
      wake();
    };
    put(part, ended.signal).then(done, done);
  }

  return {
    wake,
    write(...written) {
      [text, reasoning] = written;
      wake();
    },
    end() {
      clearTimeout(timer);
      ended.abort();
    },
  };
}

/** The end of the answer, and of what the model thinks before it as much as fits besides. */
function partOf(answer: ReturnType<typeof growingParts>, showsThinking: boolean): Part {
  const part = endOf(answer.text, maxBytes);
  const left = maxBytes - Buffer.byteLength(part.text) - thinkingOverhead;
  if (!showsThinking || answer.thinking === "" || left <= 0) return part;
  return { ...part, thinking: endOf(answer.thinking, left) };
}

/** The last whole characters of a text that fit so many bytes. */
function endOf(text: string, most: number): { from: number; text: string } {
  const whole = /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text; // the second half has not arrived
  const bytes = Buffer.from(whole.slice(-most - 1));
  let start = Math.max(0, bytes.length - most);
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start++; // within a character
  const end = bytes.subarray(start).toString();
  return { from: whole.length - end.length, text: end };
}
