import { expect, test } from "vitest";
import { parseCreateBody } from "../../../src/v1/create-body.ts";

/** The inputs that the issues of a body echo, as JSON. */
async function inputs(body: string): Promise<string[]> {
  const read = await parseCreateBody(body, "application/json");
  return "issues" in read ? read.issues.map(({ input }) => JSON.stringify(input)) : [];
}
const template = '"template_id": "00000000-0000-4000-8000-000000000001"';

test.each([
  ["9007199254740993"],
  ["-18446744073709551617"],
  ['{"a":[1152921504606846977,1.5,"1152921504606846977"]}'],
  [`[${"1".repeat(900)}]`],
])("%s is echoed with the digits that were sent", async (name) => {
  expect(await inputs(`\uFEFF{${template}, "name": ${name}}`)).toEqual([name]);
  expect(await inputs(`{${template}, "name": "n", "files": [{"filename": ${name}, "content_base64": ""}]}`)).toEqual([
    name,
    '""',
  ]);
  expect(await inputs(`{"name": ${name}}`)).toEqual([name, `{"name":${name}}`]); // an object that lacks a field
  expect(await inputs(`[${name}]`)).toEqual([`[${name}]`]);
});

test("long integers are not echoed, and nesting does not overflow the stack", async () => {
  expect(await inputs(`{${template}, "name": ${"1".repeat(1_001)}}`)).toEqual([undefined]);
  const deep = "[".repeat(989) + "]".repeat(989);
  expect(await inputs(`{${template}, "name": 9007199254740993, "x": ${deep}}`)).toEqual(["9007199254740993"]);
});
