import { expect, test } from "vitest";
import { base64 } from "../../../../console/start/base64.ts";
import { checkFiles } from "../../../../console/start/file-limits.ts";

const limits = { files: 10, file_bytes: 10 * 1_048_576 };
const mebibytes = (count: number): number => Math.round(count * 1_048_576);

test("files within the limits have no problem", () => {
  const files = [
    { name: "orders.csv", size: mebibytes(4.2) },
    { name: "regions.csv", size: mebibytes(5.8) },
  ];
  expect(checkFiles(files, limits)).toEqual({
    bytes: files[0]!.size + files[1]!.size,
    problems: [undefined, undefined],
    countProblem: undefined,
    sizeProblem: undefined,
  });
});

test("what is too much says by how much, and removing that much is enough", () => {
  const files = [
    { name: "orders.csv", size: mebibytes(4.2) },
    { name: "regions.csv", size: 3_174 },
    { name: "export.csv", size: mebibytes(6.4) },
  ];
  const check = checkFiles(files, limits);
  expect(check.problems).toEqual([undefined, undefined, "0.7 MiB too much"]);
  expect(check.sizeProblem).toBe("10.7 of 10 MiB: remove at least 0.7 MiB");
  expect(checkFiles([{ name: "a", size: mebibytes(10) + 1 }], limits).sizeProblem).toBe(
    "10.1 of 10 MiB: remove at least 1 B",
  );
});

test("too many files, and two with one name", () => {
  const files = Array.from({ length: 12 }, (_, index) => ({ name: `${index}`, size: 1 }));
  expect(checkFiles(files, limits)).toMatchObject({ countProblem: "12 of 10 files: remove at least 2" });
  expect(checkFiles(files, limits).problems.slice(9)).toEqual([undefined, "file 11 of 10", "file 12 of 10"]);
  const twins = [
    { name: "a", size: 1 },
    { name: "a", size: 1 },
  ];
  expect(checkFiles(twins, limits).problems).toEqual([undefined, "same name as another file"]);
});

test("base64 of every byte and of parts is that of Node", () => {
  const bytes = Uint8Array.from({ length: 150_001 }, (_, index) => index % 256);
  expect(base64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
  expect(base64(new Uint8Array())).toBe("");
});
