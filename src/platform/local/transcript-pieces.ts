import { StringDecoder } from "node:string_decoder";
import type { TranscriptMessage, TranscriptPiece } from "../../runs/types.ts";
import type { Database } from "./sqlite.ts";

/** Bytes of a text that are sent at a time. A reader that stops holds a few of these pieces. */
const pieceBytes = 64 * 1024;
/**
 * Bytes of texts that all readers share. SQLite reads a text as a whole, which takes 20 ms for 10 MB, so it should not be
 * read again for each piece and each reader. A longer text is kept alone.
 */
const maxKeptBytes = 32 * 1024 * 1024;

type MessageRow = [sequence: number, role: TranscriptMessage["role"], bytes: number];

/** Returns a function that reads the transcript of a run in pieces: the messages that it has at the call. */
export function transcriptPieces({ db, read }: Database): (seq: number) => AsyncIterable<TranscriptPiece> {
  const messagesOf = db.prepare(
    "SELECT sequence, role, octet_length(text) FROM messages WHERE run = ? ORDER BY sequence",
  );
  messagesOf.setReturnArrays(true);
  const textOf = db.prepare("SELECT CAST(text AS BLOB) AS text FROM messages WHERE run = ? AND sequence = ?");
  const kept = new Map<string, Uint8Array>();
  let keptBytes = 0;
  let readers = 0;

  /** The UTF-8 of a text. Throws if the message is gone. */
  function bytesOf(seq: number, sequence: number): Uint8Array {
    const key = `${seq} ${sequence}`;
    const before = kept.get(key);
    if (before) return before;
    const text = read(() => textOf.get(seq, sequence))?.["text"];
    if (!(text instanceof Uint8Array)) throw new Error("the run was deleted while its transcript was read");
    keptBytes += text.length;
    for (const [oldest, { length }] of kept) {
      if (keptBytes <= maxKeptBytes) break;
      kept.delete(oldest);
      keptBytes -= length;
    }
    kept.set(key, text);
    return text;
  }

  async function* pieces(seq: number, messages: MessageRow[]): AsyncGenerator<TranscriptPiece> {
    readers++;
    try {
      for (const [index, [sequence, role, bytes]] of messages.entries()) {
        const decoder = new StringDecoder("utf8"); // a piece can end within a character
        for (let offset = 0; offset === 0 || offset < bytes; offset += pieceBytes) {
          const piece = bytesOf(seq, sequence).subarray(offset, offset + pieceBytes);
          yield { index, role, text: decoder.write(piece) };
        }
      }
    } finally {
      if (--readers === 0) {
        kept.clear();
        keptBytes = 0;
      }
    }
  }

  return (seq) => pieces(seq, messagesOf.all(seq) as unknown as MessageRow[]);
}
