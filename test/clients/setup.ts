import { python } from "./python.ts";

/** Creates the virtual environment before the test files need it at the same time. */
export default async function setup(): Promise<void> {
  await python("python");
}
