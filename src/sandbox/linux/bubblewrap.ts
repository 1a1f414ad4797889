import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { RootFolder } from "./bwrap-arguments.ts";
import { copiedContents, linkFiles, removeFolder } from "./file-links.ts";
import { runProgram, type BubblewrapHost } from "./run-program.ts";
import type { RunOfProgram, Slots } from "./slots.ts";
import type { ContentFolder, EnvironmentFacts, Linux } from "./types.ts";

/** What the runs of one service share. */
export interface Bubblewrap extends BubblewrapHost {
  slots: Slots;
  /** Existing folder for links to contents, on the file system of the store. */
  folder: string;
}

/** Runs the programs of one run with bubblewrap. See `setup-script.ts` for the steps of one program. */
export function bubblewrapLinux(
  shared: Bubblewrap,
  { root, facts }: { root: RootFolder; facts: EnvironmentFacts },
  run: RunOfProgram & { contents: ContentFolder },
): Linux {
  return {
    engine: "bubblewrap",
    facts,
    run: (program, signal, onOutput) =>
      shared.slots.run(
        run,
        async (slot) => {
          const name = randomUUID();
          const folder = join(shared.folder, name);
          const owner = slot.user === undefined ? undefined : { user: slot.user, active: shared.slots.active };
          try {
            await mkdir(folder, { mode: 0o700 });
            const contents = shared.workspace === "copy" ? copiedContents(run.contents, folder) : run.contents;
            await linkFiles(join(folder, "files"), program.files, contents, owner);
            const place = { root, slot, parent: shared.folder, name };
            return await runProgram(shared, place, program, run.contents.store, { signal, onOutput });
          } finally {
            // Not awaited: with 500 files it takes some milliseconds. The next start removes what a crash leaves.
            removeFolder(folder).catch(() => {});
          }
        },
        signal,
      ),
  };
}
