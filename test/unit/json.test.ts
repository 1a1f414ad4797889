import { describe, expect, test } from "vitest";
import { canonicalJson, inexactNumber, parseExact, plainJson, toWellFormed } from "../../src/json.ts";
import fc from "../support/properties.ts";

/** The text of a JSON number, in any notation. */
const number = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(fc.nat().map(String), fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String)),
    fc.oneof(fc.constant(""), fc.stringMatching(/^\.[0-9]{1,20}$/)),
    fc.oneof(fc.constant(""), fc.stringMatching(/^[eE][-+]?[0-9]{1,3}$/)),
  )
  .map((parts) => parts.join(""));

/** A JSON text without white space, whose keys are no indexes of lists: JavaScript moves those to the front. */
const { text } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 3 },
    number,
    fc.string().map((each) => JSON.stringify(each)),
    fc.constantFrom("null", "true", "false"),
    fc.array(tie("text"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    fc
      .dictionary(
        fc.string({ minLength: 1 }).map((name) => `x${name}`),
        tie("text"),
        { maxKeys: 4 },
      )
      .map(
        (fields) =>
          `{${Object.entries(fields)
            .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
            .join()}}`,
      ),
  ),
}));

const keyOf = (json: string): string => canonicalJson(parseExact(json));

/** What `JSON.parse` makes of a number, in its shortest notation, and the number itself are equal. */
function isExact(source: string): boolean {
  const [left, right] = [String(Number(source)), source].map(fraction);
  return left !== undefined && right !== undefined && left[0] * right[1] === right[0] * left[1];
}

/** A decimal number as numerator and denominator. */
function fraction(source: string): [bigint, bigint] | undefined {
  const [, digits = "", decimals = "", exponent = "0"] = /^(-?\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(source) ?? [];
  if (digits === "") return undefined;
  const power = BigInt(exponent) - BigInt(decimals.length);
  const whole = BigInt(digits + decimals);
  const isNegative = digits.startsWith("-");
  const signed = isNegative && whole > 0n ? -whole : whole;
  return power >= 0n ? [signed * 10n ** power, 1n] : [signed, 10n ** -power];
}

describe("the numbers of JSON", () => {
  test("are written as they were read", () => {
    fc.assert(fc.property(text, (json) => JSON.stringify(parseExact(json)) === json));
  });

  test("are written as they were read after lone surrogates were replaced", () => {
    fc.assert(fc.property(text, (json) => JSON.stringify(toWellFormed(parseExact(json))) === toWellFormed(json)));
  });

  test("have a text of their own only where the value has another one", () => {
    fc.assert(
      fc.property(text, (json) => {
        const plain = plainJson(parseExact(json));
        return (
          (plain.json ?? JSON.stringify(plain.value)) === json &&
          JSON.stringify(JSON.parse(json)) === JSON.stringify(plain.value)
        );
      }),
    );
  });

  test("are equal in any notation, and different in any digit", () => {
    fc.assert(
      fc.property(number, number, (one, other) => {
        const isEqual = keyOf(`[${one}]`) === keyOf(`[${other}]`);
        const [left, right] = [fraction(one), fraction(other)] as [[bigint, bigint], [bigint, bigint]];
        return isEqual === (left[0] * right[1] === right[0] * left[1]);
      }),
    );
    expect(keyOf('{"a":10.10,"b":1e2}')).toBe(keyOf('{"b":100,"a":1.01e1}'));
    expect(keyOf("[2512292042121000001]")).not.toBe(keyOf("[2512292042121000000]"));
    expect(keyOf("[2512292042121000001.0]")).toBe(keyOf("[2512292042121000001]"));
    expect(keyOf("[0.0,-0,0e9]")).toBe("[0,0,0]");
  });

  test("are named where JavaScript has another number", () => {
    fc.assert(fc.property(number, (source) => (inexactNumber(`{"a":${source}}`) === undefined) === isExact(source)));
    expect(inexactNumber("[10.10,1.0,1e3,9007199254740993,1e400]")).toBe("9007199254740993");
  });
});
