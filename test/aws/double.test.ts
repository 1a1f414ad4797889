import { describe } from "vitest";
import { describeLeases } from "../contract/runs-leases.suite.ts";
import { describeQueue } from "../contract/runs-queue.suite.ts";
import { describeRunChanges } from "../contract/runs-changes.suite.ts";
import { awsHome } from "./home.ts";

// The double is good for what the stores' own contract finds no fault with.
describe("the stores on AWS over a table in memory", () => {
  const { runs } = awsHome();
  describeRunChanges(async () => runs);
  describeLeases(async () => runs);
  describeQueue(async () => runs);
});
