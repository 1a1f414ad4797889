import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const pages = globSync(["*.md", "docs/**/*.md", "clients/*/README.md", "test/deploy/README.md"]);

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

const anchorsOf = (page: string): string[] =>
  [...readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));

test.each(pages)("%s: each link to a file of the repository leads somewhere", (page) => {
  const wrong: string[] = [];
  for (const [, path = "", anchor] of readFileSync(page, "utf8").matchAll(
    /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g,
  )) {
    const target = path === "" ? page : join(dirname(page), path);
    if (!existsSync(target)) wrong.push(path);
    else if (anchor !== undefined && !anchorsOf(target).includes(anchor)) wrong.push(`${path}#${anchor}`);
  }
  expect(wrong).toEqual([]);
});

test("docs/README.md lists every page", () => {
  const index = readFileSync("docs/README.md", "utf8");
  const listed = globSync("docs/*.md").filter((page) => page !== "docs/README.md");
  expect(listed.filter((page) => !index.includes(`(${page.slice("docs/".length)})`))).toEqual([]);
});

test("docs/agents.md has every field of an agent file and every tool", () => {
  const { properties } = JSON.parse(readFileSync("schemas/agent.schema.json", "utf8")) as {
    properties: { tools: { items: { enum: string[] } } };
  };
  const names = [...Object.keys(properties).filter((name) => name !== "$schema"), ...properties.tools.items.enum];
  expect(names.length).toBeGreaterThan(20);
  const page = readFileSync("docs/agents.md", "utf8");
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
