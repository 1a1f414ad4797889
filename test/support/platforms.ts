import type { Stores } from "../../src/runs/ports.ts";
import { fakeAwsStores } from "./fake-aws/platform.ts";
import { temporaryStores } from "./temporary-stores.ts";

/** The stores of both platforms, by name. Those of AWS are over a table in memory. */
export const platforms: [string, () => Stores][] = [
  ["local", () => temporaryStores()],
  ["AWS", () => fakeAwsStores()],
];
