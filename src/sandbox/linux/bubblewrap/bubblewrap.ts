import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { RootFolder } from "./bwrap-arguments.ts";
import { discardFolder } from "../discard-folder.ts";
import { runProgram } from "../run-program.ts";
import type { BubblewrapHost } from "./start-bubblewrap.ts";
import type { RunOfProgram, Slots } from "../slots.ts";
import type { ContentFolder } from "../content-folder.ts";
import type { EnvironmentFacts, Linux } from "../linux-types.ts";

/** What the runs of one service share. */
export interface Bubblewrap extends BubblewrapHost {
  slots: Slots;
  /** Existing folder for the files of programs, if they are on the disk. */
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
          const place = { root, slot };
          if (shared.workspace === "memory") {
            return runProgram(shared, place, program, run.contents, { signal, onOutput });
          }
          const folder = join(shared.folder, randomUUID());
          try {
            await mkdir(folder, { mode: 0o700 });
            return await runProgram(shared, { ...place, folder }, program, run.contents, { signal, onOutput });
          } finally {
            // Not awaited: with 500 files it takes some milliseconds. The next start removes what a crash leaves.
            void discardFolder(folder);
          }
        },
        signal,
      ),
  };
}
