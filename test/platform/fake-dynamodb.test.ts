import { describe } from "vitest";
import { describeAccounts } from "./accounts.contract.ts";
import { describeLeases } from "./runs-leases.contract.ts";
import { describeQueue } from "./runs-queue.contract.ts";
import { describeRunChanges } from "./runs-changes.contract.ts";
import { awsHome } from "../support/fake-aws/platform.ts";

// The double is good for what the stores' own contract finds no fault with.
describe("the stores on AWS over a table in memory", () => {
  const { accounts, runs } = awsHome();
  describeAccounts(async () => accounts);
  describeRunChanges(async () => runs);
  describeLeases(async () => runs);
  describeQueue(async () => runs);
});
