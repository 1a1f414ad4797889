/**
 * A stream of JSON events with each event replaced by those that `read` makes of it. Events without content, which keep
 * a connection, are left out; JSON that came in place of events, or after them, such as an error, is one. An answer with
 * an error status, and what is no JSON, stay as they are.
 */
export function withEvents(response: Response, read: (event: unknown) => unknown[]): Response {
  const { body, ok, status, headers } = response;
  return ok && body ? new Response(body.pipeThrough(replaced(read)), { status, headers }) : response;
}

function replaced(read: (event: unknown) => unknown[]): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const events = eventReader(read);
  const send = (controller: TransformStreamDefaultController<Uint8Array>, texts: string[]): void => {
    const sent = texts.map((text) => `data: ${text}\n\n`).join("");
    if (sent !== "") controller.enqueue(encoder.encode(sent));
  };
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => send(controller, events.chunk(decoder.decode(chunk, { stream: true }))),
    flush: (controller) => send(controller, events.end()),
  });
}

/** Cuts a stream into its events. Both functions give the texts of those that replace them. */
function eventReader(read: (event: unknown) => unknown[]): { chunk(text: string): string[]; end(): string[] } {
  let line = "";
  let data: string[] = [];
  const outside: string[] = [];

  function textsOf(text: string): string[] {
    const json = text === "" ? null : parsed(text);
    if (json === null) return [];
    return json === undefined ? [text] : read(json).map((event) => JSON.stringify(event));
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
