/** One message of a stream of server-sent events. A field that the message does not have is undefined. */
export interface Message {
  event: string;
  data: string;
  id: string | undefined;
  /** Milliseconds to wait before the next connection. */
  retry: number | undefined;
}

/**
 * The messages of an event stream (HTML standard, section 9.2.6). A message counts when its empty line has arrived, so that
 * one that was cut off is never seen, nor its id.
 */
export async function* messages(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Message> {
  let message = emptyMessage();
  for await (const line of lines(chunks)) {
    if (line === "") {
      yield message;
      message = emptyMessage();
      continue;
    }
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") message.event = value;
    else if (field === "data") message.data += message.data === "" ? value : `\n${value}`;
    else if (field === "id") message.id = value;
    else if (field === "retry" && /^\d+$/.test(value)) message.retry = Number(value);
  }
}

function emptyMessage(): Message {
  return { event: "message", data: "", id: undefined, retry: undefined };
}

/** The lines that have ended, with CR LF, LF or CR. */
async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder(); // removes a byte order mark
  let rest = "";
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    // A CR at the end may be half of a CR LF.
    const parts = rest.split(/\r\n|\n|\r(?!$)/);
    rest = parts.pop() ?? "";
    yield* parts;
  }
}
