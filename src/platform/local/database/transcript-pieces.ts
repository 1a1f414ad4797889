import { StringDecoder } from "node:string_decoder";
import type { Owners } from "../../../async/scheduler.ts";
import type { TickByTick } from "../../../async/tick-by-tick.ts";
import type { TranscriptMessage, TranscriptPiece } from "../../../runs/run-types.ts";
import { eventKey, eventsOf } from "./event-keys.ts";
import { tuples } from "./query.ts";
import type { Database } from "./sqlite.ts";

/** Bytes of a text that SQLite reads at a time. */
const pieceBytes = 128 * 1024;
/**
 * Bytes of a text that are sent at a time. A reader that stops holds a few of these parts. Strings of over 128 KiB are large
 * objects in V8, which live until a full collection.
 */
const partBytes = 32 * 1024;
/**
 * Bytes of the texts that are kept while they are read. SQLite reads a text as a whole, which takes 5 ms for 10 MB, so it
 * should not be read again for each piece and each reader. When there is no room left for a text, it is.
 */
const maxKeptBytes = 32 * 1024 * 1024;

type MessageRow = [sequence: number, role: TranscriptMessage["role"], bytes: number];

interface KeptText {
  content: Promise<Uint8Array>;
  readers: number;
}

/** A text while it is read. */
interface OpenText extends Disposable {
  /** Its UTF-8 from an offset. Rejects if the message is gone. */
  pieceAt: (offset: number) => Promise<Uint8Array>;
}

/**
 * Returns a function that reads the transcript of a run in pieces: the messages that it has at the call. `owners`: who reads.
 * Long texts are read in turn.
 */
export function transcriptPieces(
  { db, read }: Database,
  inTurn: TickByTick,
): (seq: number, owners: Owners) => AsyncIterable<TranscriptPiece> {
  const messagesOf = tuples<MessageRow>(
    db,
    `SELECT sequence, role, octet_length(text) FROM messages WHERE ${eventsOf("?1")} ORDER BY event`,
  );
  const partOf = db.prepare(
    `SELECT substr(CAST(text AS BLOB), ?, ?) AS part FROM messages WHERE event = ${eventKey("?", "?")}`,
  );
  // `substr` of the whole text would copy it once more.
  const wholeOf = db.prepare(`SELECT CAST(text AS BLOB) AS part FROM messages WHERE event = ${eventKey("?", "?")}`);
  const { keep, leave } = keptTexts();

  const readWhole = (seq: number, sequence: number) => blobOf(() => wholeOf.get(seq, sequence));

  const readPart = (seq: number, sequence: number, offset: number) =>
    blobOf(() => partOf.get(offset + 1, pieceBytes, seq, sequence));

  function blobOf(query: () => Record<string, unknown> | undefined): Uint8Array {
    const row = read(query);
    if (!row) throw new Error("the run was deleted while its transcript was read");
    return (row["part"] as Uint8Array | null) ?? new Uint8Array(); // SQLite's part of an empty blob is null
  }

  function open(seq: number, [sequence, , bytes]: MessageRow, owners: Owners): OpenText {
    if (bytes <= pieceBytes) return { pieceAt: async () => readWhole(seq, sequence), [Symbol.dispose]: () => {} };
    const key = `${seq} ${sequence}`;
    const text = keep(key, bytes, () => inTurn(owners, () => readWhole(seq, sequence)));
    return {
      pieceAt: async (offset) =>
        text
          ? (await text.content).subarray(offset, offset + pieceBytes)
          : inTurn(owners, () => readPart(seq, sequence, offset)),
      [Symbol.dispose]: () => text && leave(key, bytes, text),
    };
  }

  async function* pieces(seq: number, owners: Owners, messages: MessageRow[]): AsyncGenerator<TranscriptPiece> {
    for (const [index, message] of messages.entries()) {
      const [, role, bytes] = message;
      using text = open(seq, message, owners);
      const decoder = new StringDecoder("utf8"); // a piece can end within a character
      if (bytes === 0) yield { index, role, text: "" };
      for (let offset = 0; offset < bytes; offset += pieceBytes) {
        const piece = await text.pieceAt(offset);
        for (let start = 0; start < piece.length; start += partBytes)
          yield { index, role, text: decoder.write(piece.subarray(start, start + partBytes)) };
      }
    }
  }

  return (seq, owners) => pieces(seq, owners, messagesOf.all(seq));
}

/** Texts that several readers read at a time, with a limit of their bytes together. */
function keptTexts() {
  const kept = new Map<string, KeptText>();
  let keptBytes = 0;

  /** A text that is kept until its last reader has read it. Undefined: there is no room. */
  function keep(key: string, bytes: number, readAll: () => Promise<Uint8Array>): KeptText | undefined {
    let text = kept.get(key);
    if (!text) {
      if (keptBytes + bytes > maxKeptBytes) return undefined;
      keptBytes += bytes;
      kept.set(key, (text = { content: readAll(), readers: 0 }));
    }
    text.readers++;
    return text;
  }

  function leave(key: string, bytes: number, text: KeptText): void {
    if (--text.readers > 0) return;
    kept.delete(key);
    keptBytes -= bytes;
  }

  return { keep, leave };
}
