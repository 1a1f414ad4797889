import { callFiles } from "./call-files.ts";
import { entriesIn, infosIn } from "./manifest.ts";
import { TurnWorkspace } from "./turn-workspace.ts";
import type { TurnFiles, TurnFilesConfig } from "./workspace-types.ts";

/** The workspace of a turn. Reads its files at the first use. */
export function turnFiles(config: TurnFilesConfig): TurnFiles {
  const workspace = new TurnWorkspace(config);
  return {
    async startCall() {
      await workspace.open();
      return callFiles(workspace);
    },
    async list() {
      await workspace.open();
      return infosIn(workspace.recorded);
    },
    settled: () => workspace.dropped.settled(),
    async readAttachment({ name, sha256 }) {
      if (sha256 !== undefined) return config.contents.read(sha256);
      await workspace.open();
      return workspace.read(workspace.recorded.get(name));
    },
    async changed() {
      if (!workspace.hasChanged) return undefined;
      await workspace.open();
      return entriesIn(workspace.recorded);
    },
  };
}
