import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalStores, openLocalStores } from "../../src/platform/local/index.ts";

/** The stores of one machine in a data folder of their own. Disposed of, they are closed and the folder is gone. */
export function temporaryStores(): LocalStores & Disposable & { dataDir: string } {
  const dataDir = mkdtempSync(join(tmpdir(), "agent-runs-"));
  const stores = openLocalStores({ dataDir });
  return {
    ...stores,
    dataDir,
    [Symbol.dispose]() {
      stores.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
