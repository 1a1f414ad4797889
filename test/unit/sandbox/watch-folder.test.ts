import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { watchFolder } from "../../../src/sandbox/linux/watch-folder.ts";

const limits = { diskBytes: 2 ** 20, inodes: 20, files: 10 };

/** Why a program in a folder is stopped. */
function reasonFor(fill: (folder: string) => void): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "watched-"));
  fill(folder);
  return new Promise((resolve) => {
    const end = watchFolder(folder, limits, (problem) => {
      end();
      resolve(problem);
    });
  });
}

test("a program that writes too many bytes is stopped, also in folders whose names are not UTF-8", async () => {
  const problem = await reasonFor((folder: string) => {
    const inner = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]);
    mkdirSync(inner);
    writeFileSync(Buffer.concat([inner, Buffer.from("/file")]), Buffer.alloc(2 ** 20 + 1, 1));
  });
  expect(problem).toBe("it wrote more than 1 MB of files");
});

test("a program that creates too many files and folders is stopped", async () => {
  const problem = await reasonFor((folder: string) => {
    for (let n = 0; n <= limits.inodes; n++) writeFileSync(join(folder, String(n)), "");
  });
  expect(problem).toBe("it created more than 20 files and folders");
});

test("a program whose folders cannot be looked into is stopped", async () => {
  const deep = 'cd "$1"; for n in {1..18}; do d=$(printf "x%.0s" {1..250}); mkdir $d && cd -P $d || exit 1; done';
  const fill = (folder: string) => void execFileSync("bash", ["-c", deep, "bash", folder]);
  expect(await reasonFor(fill)).toBe("its files could not be counted (ENAMETOOLONG)");
});
