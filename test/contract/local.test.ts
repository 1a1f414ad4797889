import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { openLocalStores } from "../../lambdas/stores/local/index.ts";
import { describeAccounts } from "./accounts.suite.ts";
import { describeRuns } from "./runs.suite.ts";
import { describeWorkspace } from "./workspace.suite.ts";

describe("stores of one machine", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "contract-"));
  const stores = openLocalStores({ dataDir });
  afterAll(() => {
    stores.close();
    rmSync(dataDir, { recursive: true });
  });

  describeAccounts(async () => stores.accounts);
  describeRuns(async () => stores.runs);
  describeWorkspace(async () => stores.workspace);
});
