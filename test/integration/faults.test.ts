import { expect, test } from "vitest";
import { StoreUnavailable } from "../../src/errors.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";
import { describeFaults } from "./faults.scenario.ts";

describeFaults(4);

test("a throttled store rejects with the error that the workflow retries", async () => {
  const stores = fakeAwsStores(() => "throttled");
  await expect(stores.runs.load("R")).rejects.toThrow(StoreUnavailable);
});
