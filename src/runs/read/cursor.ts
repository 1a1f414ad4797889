import { ServiceError } from "../../errors.ts";

/** A place in a list that is ordered by time, in milliseconds since 1970, and id. */
interface ListPlace {
  time: number;
  id: string;
}

/** The cursor of a page that ends at a place. Opaque to callers. */
export function encodePlace({ time, id }: ListPlace): string {
  return Buffer.from(`${time} ${id}`).toString("base64url");
}

/** The place of a cursor. Throws for a text that is not a cursor. */
export function decodePlace(cursor: string): ListPlace {
  const [, time, id = ""] = /^(\d{1,15}) (\S+)$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (time !== undefined) return { time: Number(time), id };
  throw new ServiceError(
    "invalid_argument",
    `the cursor ${JSON.stringify(cursor.slice(0, 100))} is not valid; use the cursor of the page before`,
  );
}
