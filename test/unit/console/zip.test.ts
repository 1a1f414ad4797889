import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { zipOf } from "../../../console/run/files/zip.ts";
import fc from "../../support/properties.ts";

test("an archive holds all files, whatever their names and bytes", async () => {
  const files = fc.uniqueArray(
    fc.record({ name: fc.string({ unit: "grapheme", minLength: 1 }), bytes: fc.uint8Array({ maxLength: 300 }) }),
    { selector: ({ name }) => name, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(files, async (given) => {
      const blob = await zipOf(given.map(({ name, bytes }) => ({ name, content: new Blob([bytes]) })));
      const read = unzipSync(new Uint8Array(await blob.arrayBuffer()));
      expect(Object.keys(read)).toHaveLength(given.length);
      for (const { name, bytes } of given) expect(Array.from(read[name] ?? [])).toEqual(Array.from(bytes));
    }),
  );
});

test("an archive has the bytes of the format, with the standard checksum", async () => {
  const blob = await zipOf([{ name: "é.txt", content: new Blob(["123456789"]) }], new Date(2026, 10, 22, 13, 14, 16));
  const view = new DataView(await blob.arrayBuffer());
  expect(blob.type).toBe("application/zip");
  expect(view.getUint32(0, true)).toBe(0x04034b50);
  expect(view.getUint16(6, true)).toBe(0x0800);
  expect(view.getUint16(10, true)).toBe((13 << 11) | (14 << 5) | 8);
  expect(view.getUint16(12, true)).toBe((46 << 9) | (11 << 5) | 22);
  expect(view.getUint32(14, true)).toBe(0xcbf43926); // the check value of CRC-32
  expect(view.getUint32(18, true)).toBe(9);
});

test("an archive without files is valid", async () => {
  const bytes = new Uint8Array(await (await zipOf([])).arrayBuffer());
  expect(bytes).toHaveLength(22);
  expect(unzipSync(bytes)).toEqual({});
});
