import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalPlatform, openLocalPlatform } from "../../src/platform/local/open-platform.ts";

/** A local platform in a temporary data directory. Disposing closes it and removes the directory. */
export function temporaryStores(): LocalPlatform & Disposable & { dataDir: string } {
  const dataDir = mkdtempSync(join(tmpdir(), "agent-runs-"));
  const platform = openLocalPlatform({ dataDir });
  return {
    ...platform,
    dataDir,
    [Symbol.dispose]() {
      platform.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
