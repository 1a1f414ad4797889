import type { TurnFilesConfig } from "../../../../src/agent/turn/files/workspace-types.ts";
import { turnFiles } from "../../../../src/agent/turn/files/turn-files.ts";
import { linuxPythonTool, runShellTool } from "../../../../src/agent/tools/run-program.ts";
import type { Linux } from "../../../../src/sandbox/linux/linux-types.ts";
import type { Workspace } from "../../../../src/runs/ports.ts";

export interface Calls {
  /** Runs a program on the files that the calls before left. Resolves with the text for the model. */
  sh: (script: string) => Promise<string>;
  python: (code: string) => Promise<string>;
  /** The files now. */
  files: ReturnType<typeof turnFiles>;
}

/** The calls of one turn with a real workspace: what a model's `run_shell` and `run_python` do. */
export function callsIn(linux: Linux, workspace: Workspace, runId: string, more: Partial<TurnFilesConfig> = {}): Calls {
  const { signal } = new AbortController();
  const files = turnFiles({
    contents: {
      read: (sha256) => workspace.read(runId, sha256),
      write: (sha256, content) => workspace.write(runId, [{ sha256, content }]),
      remove: (sha256s) => workspace.remove(runId, sha256s),
    },
    atStart: () => [],
    changes: [],
    pinned: [],
    keep: 0,
    signal,
    ...more,
  });
  const [shell, python] = [runShellTool(linux, 60), linuxPythonTool(linux, 60)];
  async function call(tool: typeof shell, input: object): Promise<string> {
    const context = await files.startCall();
    const { text } = await tool.run(input, { files: context, signal });
    await context.end(async () => true);
    await files.settled();
    return text;
  }
  return { sh: (script) => call(shell, { script }), python: (code) => call(python, { code }), files };
}
