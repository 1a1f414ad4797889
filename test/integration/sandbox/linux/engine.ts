import { createHash } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { contentName } from "../../../../src/filenames.ts";
import { localWorkspace } from "../../../../src/platform/local/workspace.ts";
import { runContents } from "../../../../src/platform/local/database/run-contents.ts";
import { type Bubblewrap, bubblewrapLinux } from "../../../../src/sandbox/linux/bubblewrap/bubblewrap.ts";
import type { RootFolder } from "../../../../src/sandbox/linux/bubblewrap/bwrap-arguments.ts";
import { findBubblewrap, machineRoot } from "../../../../src/sandbox/linux/bubblewrap/find-bubblewrap.ts";
import { linuxLimits, type LinuxLimits } from "../../../../src/sandbox/linux/linux-limits.ts";
import type { Linux, LinuxResult, StoredFile } from "../../../../src/sandbox/linux/linux-types.ts";
import { installedRoot } from "../../../support/installed-root.ts";

export interface TestProgram {
  text: string;
  /** Default: `shell`. */
  language?: "shell" | "python";
  files?: Record<string, string | Uint8Array>;
  /** Default: 60. */
  seconds?: number;
  signal?: AbortSignal;
  onOutput?: (text: string) => void;
  /** Default: one run for all programs. */
  runId?: string;
}

export interface Engine {
  root: RootFolder;
  /** Folder of all workspaces. */
  folder: string;
  bubblewrap: Bubblewrap;
  run(program: TestProgram): Promise<LinuxResult>;
  linuxOf: (runId: string) => Linux;
  /** Name of a changed file's content in the run's folder. */
  contentName(file: StoredFile): string;
  close(): void;
}

/** Why there is no engine here. */
export interface NoEngine {
  unavailable: string;
}

const neverAborts = new AbortController().signal;
const noFacts = { name: "linux", digest: "", system: "", programs: {}, python: { version: "", libraries: {} } };

/** The installed environment, or else the machine's own /usr. */
function rootFolder(): RootFolder {
  const installed = installedRoot();
  return installed === undefined ? machineRoot : { path: installed, isMachine: false };
}

/**
 * Opens the engine of `npm start`. Where bubblewrap does not work, it says why. `AGENT_RUN_REQUIRE_BUBBLEWRAP` makes that an
 * error: `.ci/run` sets it, so that these tests run there. `withoutGroups`: as on a machine that gives no control groups.
 */
export async function openEngine(
  limits: Partial<LinuxLimits> = {},
  { withoutGroups = false }: { withoutGroups?: boolean } = {},
): Promise<Engine | NoEngine> {
  const folder = mkdtempSync(join(tmpdir(), "agent-linux-"));
  const root = rootFolder();
  const found = await findBubblewrap(folder, root, {
    programs: Math.max(2, availableParallelism()),
    limits: { ...linuxLimits, ...limits },
  });
  if ("unavailable" in found) {
    if (process.env["AGENT_RUN_REQUIRE_BUBBLEWRAP"]) throw new Error(found.unavailable);
    return found;
  }
  const workspace = localWorkspace(folder);
  const linuxOf = (id: string): Linux =>
    bubblewrapLinux(found.bubblewrap, { root, facts: noFacts }, { id, contents: runContents(folder, id) });
  if (withoutGroups) delete found.bubblewrap.groups;
  return {
    root,
    folder,
    bubblewrap: found.bubblewrap,
    linuxOf,
    async run({ text, language = "shell", files = {}, seconds = 60, signal = neverAborts, onOutput, runId = "run" }) {
      const stored = Object.entries(files).map(([name, content]) => {
        const bytes = Buffer.from(content);
        return { name, size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex"), content: bytes };
      });
      await workspace.write(runId, stored);
      const program = {
        language,
        text,
        seconds,
        files: stored.map(({ name, size, sha256 }) => ({ name, size, sha256 })),
      };
      return linuxOf(runId).run(program, signal, onOutput);
    },
    contentName: ({ sha256 }) => contentName(sha256),
    close: () => found.close(),
  };
}

/** Why the tests of a file are skipped, for their title. Empty: they are not. */
export function reasonToSkip(engine: Engine | NoEngine): string {
  return "unavailable" in engine ? ` (skipped: ${engine.unavailable})` : "";
}
