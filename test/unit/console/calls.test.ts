import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { expect, test } from "vitest";
import { requestOf } from "../../../console/api/operations.ts";
import { manageApi } from "../../../src/manage/contract/manage-api.ts";

test("a request fills the path of its operation, and has the other parameters in its query", () => {
  expect(requestOf("get_file", { run_id: "r1", name: "a b/$&.txt", at: "1.0" })).toEqual({
    method: "GET",
    address: "/manage/v1/runs/r1/files/a%20b%2F%24%26.txt?at=1.0",
  });
  const { address } = requestOf("list_runs", { status: undefined, q: "", limit: 50, cursor: "c+1" });
  expect(address).toBe("/manage/v1/runs?limit=50&cursor=c%2B1");
});

test("no path of the management API is written in the page's source", async () => {
  const { operations } = manageApi;
  const first = new Set(Object.values(operations).map(({ path }) => path.split("/")[3] ?? ""));
  const written = new RegExp(`/manage/v1|["'\`]/(?:${[...first].join("|").replaceAll(".", "\\.")})(?![\\w.])`, "u");
  expect("get(`/runs/${id}`)").toMatch(written);
  const wrong: string[] = [];
  let checked = 0;
  for await (const path of glob("console/**/*.{ts,tsx}")) {
    checked++;
    for (const [index, line] of readFileSync(path, "utf8").split("\n").entries()) {
      if (written.test(line)) wrong.push(`${path}:${index + 1}: ${line.trim()}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(100);
});
