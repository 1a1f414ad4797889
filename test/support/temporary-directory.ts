import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Gives the tests of a command their own temporary directory, and removes it with what they left. CDK leaves much. */
export default function setup(): () => void {
  const before = process.env["TMPDIR"];
  const directory = mkdtempSync(join(tmpdir(), "agent-run-tests-"));
  process.env["TMPDIR"] = directory;
  return () => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    rmSync(directory, { recursive: true, force: true });
  };
}
