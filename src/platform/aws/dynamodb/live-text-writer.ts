import { splitThinking } from "../../../agent/reasoning.ts";
import type { TextWriter } from "../../../runs/read/live-text.ts";
import type { WrittenText } from "../../../runs/read/written-text.ts";

/** Milliseconds from the begin of a write to that of the next. */
const writeInterval = 1_000;
/** Bytes of UTF-8 that are kept of a text. With its keys and numbers, the item has at most 4 KB: four write units. */
const maxBytes = 3_900;

type Part = Pick<WrittenText, "from" | "text">;

/**
 * A writer that stores the end of a text while somebody watches: the first characters at once, then at most once a second.
 * `put` is never awaited by the turn, and only one is in progress. A text whose `put` fails is dropped: another one follows.
 * `end` aborts its signal, and nothing is stored afterwards. `wake`: somebody watches.
 */
export function textWriter(
  isWatched: () => boolean,
  put: (part: Part, signal: AbortSignal) => Promise<void>,
): TextWriter & { wake: () => void } {
  const ended = new AbortController();
  let text = "";
  let stored = "";
  let storing = false;
  let timer: NodeJS.Timeout | undefined;
  let nextAt = 0;

  function wake(): void {
    if (ended.signal.aborted || storing || timer || text === stored || !isWatched()) return;
    const wait = nextAt - Date.now();
    if (wait > 0) timer = setTimeout(onTime, wait);
    else store();
  }

  function onTime(): void {
    timer = undefined;
    wake();
  }

  function store(): void {
    stored = text;
    const part = endOf(splitThinking(text, true).text);
    if (part.text === "") return;
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
    write(whole) {
      text = whole;
      wake();
    },
    end() {
      clearTimeout(timer);
      ended.abort();
    },
  };
}

/** The last whole characters of a text that fit `maxBytes`. */
function endOf(text: string): Part {
  const whole = /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text; // the second half has not arrived
  const bytes = Buffer.from(whole.slice(-maxBytes - 1));
  let start = Math.max(0, bytes.length - maxBytes);
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start++; // within a character
  const end = bytes.subarray(start).toString();
  return { from: whole.length - end.length, text: end };
}
