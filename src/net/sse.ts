/** The body of an answer, as it comes. */
export type Chunks = AsyncGenerator<Uint8Array>;

/**
 * A stream of JSON events with each event replaced by those that `read` makes of it. Events without content, which keep
 * a connection, are left out; JSON that came in place of events, or after them, such as an error, is one. What is no
 * JSON stays as it is. Names and ids of events are lost.
 */
export async function* mapEvents(chunks: AsyncIterable<Uint8Array>, read: (event: unknown) => unknown[]): Chunks {
  const decoder = new TextDecoder();
  const events = eventReader(read);
  for await (const chunk of chunks) {
    const texts = events.chunk(decoder.decode(chunk, { stream: true }));
    if (texts.length > 0) yield bytesOf(texts);
  }
  const texts = events.end();
  if (texts.length > 0) yield bytesOf(texts);
}

function bytesOf(texts: string[]): Uint8Array {
  return Buffer.from(texts.map((text) => `data: ${text}\n\n`).join(""));
}

/** Cuts a stream into its events. Both functions give the texts of those that replace them. */
function eventReader(read: (event: unknown) => unknown[]): { chunk(text: string): string[]; end(): string[] } {
  let line = "";
  let data: string[] = [];
  const outside: string[] = [];

  function textsOf(text: string): string[] {
    const json = text === "" ? null : parsed(text);
    if (json === null) return [];
    try {
      return json === undefined ? [text] : read(json).map((event) => JSON.stringify(event));
    } catch {
      return [text]; // nested so deep that JSON.stringify fails
    }
  }

  function endEvent(): string[] {
    const lines = data;
    data = [];
    if (lines.length === 0) return [];
    // Some servers leave out the empty line between events.
    const one = lines.length === 1 || parsed(lines.join("\n")) !== undefined;
    return one ? textsOf(lines.join("\n")) : lines.flatMap(textsOf);
  }

  function readLine(text: string): string[] {
    if (text === "") return endEvent();
    if (text.startsWith("data:")) data.push(text.slice("data:".length).trim());
    else if (!/^(event|id|retry)?:/.test(text)) outside.push(text);
    return [];
  }

  return {
    chunk(text) {
      if (!text.includes("\n")) {
        line += text; // a line that never ends is looked through once
        return [];
      }
      const lines = (line + text).split(/\r?\n/);
      line = lines.pop() ?? "";
      return lines.flatMap(readLine);
    },
    end() {
      const content = line.startsWith("data:") ? line.slice("data:".length).trim() : undefined;
      // The end of the connection may have cut the last line.
      const cut = content !== undefined && content !== done && parsed(content) === undefined;
      const last = [...(cut ? [] : readLine(line)), ...endEvent()];
      const text = outside.join("\n");
      const json = parsed(text);
      if (json === undefined) return last;
      return [...last, ...(json === null ? [text] : textsOf(text)), done];
    },
  };
}

/** The last event of chat completions. */
const done = "[DONE]";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
