import fc from "../../support/properties.ts";
import { expect, test } from "vitest";
import { ServiceError } from "../../../src/errors.ts";
import { base64Uploads, decodeBase64 } from "../../../src/http/validation/base64-files.ts";
import { readUploads } from "../../../src/runs/files/uploads.ts";

// Accepted by Python's b64decode(validate=True), as measured.
test.each(["QQ==", "QR==", "QUI=", "QUJD", "+/8="])("%j is base64", (text) => {
  expect(decodeBase64(text)?.length).toBe((text.length / 4) * 3 - (text.split("=").length - 1));
});

test.each([
  "QQ=",
  "Q",
  "QUI",
  "====",
  "=QQ=",
  "QQ==\n",
  "QQ==QQ==",
  "Q Q=",
  "-_8=",
  "QUJŁ",
  "QU\nJD",
  "QUI=====",
  "Q===",
])("%j is not base64", (text) => {
  expect(decodeBase64(text)).toBeUndefined();
});

test("accepts four-character groups of the alphabet with padding at the end, and nothing else", () => {
  const rule = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  const near = fc.string({ unit: fc.constantFrom(..."QUJDab09+/=-_ \n\tŁé😀"), maxLength: 12 });
  fc.assert(
    fc.property(near, (text) => {
      expect(decodeBase64(text) !== undefined).toBe(rule.test(text));
    }),
    { numRuns: 20_000 },
  );
});

const megabyte = Buffer.alloc(1024 * 1024).toString("base64");
const filesOf = (...contents: string[]) =>
  contents.map((content, i) => ({ filename: `f${i}`, content_base64: content }));
const refusal = (contents: string[]): string => {
  try {
    readUploads(base64Uploads(filesOf(...contents)));
    return "accepted";
  } catch (error) {
    return (error as ServiceError).message;
  }
};

test("accepts 10 MiB in total and rejects one byte more", () => {
  const ten = Array.from({ length: 10 }, () => megabyte);
  expect(refusal(ten)).toBe("accepted");
  expect(refusal([...ten, "QQ=="])).toBe("total file size exceeds the allowed limit");
});

test("reports the first of an invalid file and a total that is too large", () => {
  const eleven = Array.from({ length: 11 }, () => megabyte);
  expect(refusal(["Q", ...eleven])).toBe("file 'f0' is not valid base64");
  expect(refusal([...eleven, "Q"])).toBe("total file size exceeds the allowed limit");
});
