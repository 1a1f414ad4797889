import { settleAll } from "../../async/settle-all.ts";
import type { Configurations } from "../ports.ts";
import type { RunJournalEntry } from "../run-types.ts";

/**
 * Stores what recorded turns ran on, and the schema of their results, for another owner, or anew for the same one, so that it is
 * kept as long as a copy of the turns. What is no longer kept is left out.
 */
export async function copyConfigurations(
  configurations: Configurations,
  { from, to }: { from: string; to: string },
  entries: RunJournalEntry[],
  resultSchema?: string,
): Promise<void> {
  const hashes = entries.flatMap((entry) => [
    entry.configuration,
    entry.part === "failed" ? entry.tried : undefined,
    entry.part === "forked" ? entry.settings : undefined,
  ]);
  const named = new Set([...hashes, resultSchema].filter((hash) => hash !== undefined));
  await settleAll(
    [...named].map(async (hash) => {
      const text = await configurations.get(from, hash);
      if (text !== undefined) await configurations.put(to, { hash, text });
    }),
  );
}
