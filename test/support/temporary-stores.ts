import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalPlatform, openLocalPlatform } from "../../src/platform/local/index.ts";

type LocalStores = Pick<
  LocalPlatform,
  | "accounts"
  | "runs"
  | "workspace"
  | "pendingUploads"
  | "configurations"
  | "deliveries"
  | "removal"
  | "trials"
  | "companions"
  | "database"
  | "textIndex"
  | "removeOrphanedFiles"
  | "close"
>;

/** The stores of a local platform in a temporary data directory. Disposing closes them and removes the directory. */
export function temporaryStores(): LocalStores & Disposable & { dataDir: string } {
  const dataDir = mkdtempSync(join(tmpdir(), "agent-runs-"));
  const platform = openLocalPlatform({ dataDir });
  const {
    accounts,
    runs,
    workspace,
    pendingUploads,
    configurations,
    deliveries,
    removal,
    trials,
    companions,
    database,
    textIndex,
    removeOrphanedFiles,
    close,
  } = platform;
  return {
    accounts,
    runs,
    workspace,
    pendingUploads,
    configurations,
    deliveries,
    removal,
    trials,
    companions,
    database,
    textIndex,
    removeOrphanedFiles,
    close,
    dataDir,
    [Symbol.dispose]() {
      close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
