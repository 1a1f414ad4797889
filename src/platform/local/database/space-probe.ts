import type { Database } from "./sqlite.ts";

/** Returns a function that probes for 64 KiB of free space, a long answer of a model. It rejects as `write` does. */
export function spaceProbe({ db, write }: Pick<Database, "db" | "write">): () => Promise<void> {
  const put = db.prepare("INSERT OR REPLACE INTO summaries (run, through_turn, text) VALUES (-1, 0, ?)");
  const drop = db.prepare("DELETE FROM summaries WHERE run = -1");
  const probe = (): void => {
    put.run("0".repeat(65_536));
    drop.run();
  };
  return () => write(probe);
}
