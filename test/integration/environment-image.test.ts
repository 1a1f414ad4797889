import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeImageContext } from "../../lib/sandbox/environment-image.ts";

test("an image is built from the folder of the environment, with the function's code and its instructions at the end", () => {
  const folder = mkdtempSync(join(tmpdir(), "image-"));
  const [source, context] = [join(folder, "source"), join(folder, "context")];
  mkdirSync(source);
  writeFileSync(join(source, "Dockerfile"), "FROM scratch\n");
  writeFileSync(join(source, "packages.txt"), "bash\n");
  writeImageContext(source, context);
  expect(readdirSync(context).toSorted()).toEqual(["Dockerfile", "handler", "packages.txt"]);
  expect(readdirSync(join(context, "handler"))).toEqual(
    expect.arrayContaining(["child.mjs", "index.js", "supervise.py"]),
  );
  const instructions = readFileSync(join(context, "Dockerfile"), "utf8");
  expect(instructions).toMatch(/^FROM scratch\n\nUSER root\nCOPY handler \/usr\/share\/agent-environment\/handler\n/);
  expect(instructions).toMatch(
    /ENTRYPOINT \["node", "\/usr\/share\/agent-environment\/handler\/index\.js"\]\nCMD \[\]\n$/,
  );
  rmSync(folder, { recursive: true });
});

test("the environment of the service leaves the function's code out of its own layers", () => {
  const dockerfile = readFileSync("environment/Dockerfile", "utf8");
  const copied = [...dockerfile.matchAll(/^COPY (.*)$/gm)].map(([, names = ""]) => names);
  expect(copied.length).toBeGreaterThan(0);
  expect(copied.filter((names) => /(^|\s)\.\/?(\s|$)|handler/.test(names))).toEqual([]);
});
