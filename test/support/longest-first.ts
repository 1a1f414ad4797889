import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The test files that take longest, beginning with the longest. Where vitest knows no durations yet, it sorts by sizes of files. */
const longest = [
  "sandbox/linux/container",
  "sandbox/lambda-attacks",
  "kills/results",
  "kills/records",
  "sandbox/attacks",
  "sandbox/linux/same-folder",
  "soak/floods",
  "soak/large-upload", // beside the floods, whose programs have a low priority: its search has a limit of 5 seconds
  "clients/generators",
  "clients/packages",
];

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return place === -1 ? longest.length : place;
}

/** Starts the longest files first, so that no worker is alone with one of them at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
