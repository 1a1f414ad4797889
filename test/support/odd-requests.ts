import fc from "./properties.ts";

/** An operation as a contract describes it. */
interface AnyOperation {
  method: string;
  path: string;
}

/** A request whose path, query and body can be valid, or wrong in different ways. */
export interface OddRequest<Name extends string> {
  name: Name;
  inPath: string[];
  useKnown: number[];
  query: [string, string][];
  body: { replaceAt: number; value: unknown; raw: string | undefined };
  /** For a header with conditions. Printable ASCII, or not. */
  header: string;
}

export const odd = fc.constantFrom(
  "",
  " ",
  "\0",
  "%",
  "%00",
  "../x",
  "__proto__",
  "NaN",
  "1e400",
  "-1",
  "\ud800",
  "é\u0301",
  "💥",
  "x".repeat(3_000),
);
const textValue = fc.oneof(odd, fc.string({ unit: "binary", maxLength: 20 }));
const jsonValue = fc.oneof(fc.jsonValue({ maxDepth: 3 }), odd, fc.constantFrom(2 ** 53, -0, 1e308, [], {}, null));
const usualValue = fc.constantFrom("1", "1.1", "2026-11-22", "2026-02-31T00:00:00Z", "running", "a=b");

export const mostly = <Value>(usual: Value, other: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });

/** Requests of operations. `parameters`: names that a query can have. */
export function oddRequests<Name extends string>(
  names: Name[],
  parameters: string[],
  header: fc.Arbitrary<string>,
): fc.Arbitrary<OddRequest<Name>> {
  return fc.record({
    name: fc.constantFrom(...names),
    inPath: fc.array(textValue, { minLength: 2, maxLength: 2 }),
    useKnown: fc.array(fc.nat({ max: 9 }), { minLength: 2, maxLength: 2 }),
    query: mostly(
      [],
      fc.array(fc.tuple(fc.constantFrom(...parameters), fc.oneof(textValue, usualValue)), { maxLength: 3 }),
    ),
    body: fc.record({
      replaceAt: fc.nat({ max: 30 }),
      value: jsonValue,
      raw: mostly<string | undefined>(undefined, fc.oneof(textValue, fc.json())),
    }),
    header,
  });
}

/** The path and query of a request below `basePath`. `known`: values of path parameters, those of stored records among them. */
export function pathOf(
  { path }: AnyOperation,
  basePath: string,
  { inPath, useKnown, query }: Pick<OddRequest<string>, "inPath" | "useKnown" | "query">,
  known: string[],
): string {
  let index = 0;
  const filled = path.slice(basePath.length).replaceAll(/\{\w+\}/g, () => {
    const choice = known[useKnown[index] ?? 0] ?? inPath[index] ?? "";
    index++;
    return encodeURIComponent(choice.toWellFormed()) || "-";
  });
  const search = query.map(([key, value]) => `${key}=${encodeURIComponent(value.toWellFormed())}`).join("&");
  return search === "" ? filled : `${filled}?${search}`;
}

/** A valid body with the value at one place, counted depth first, replaced; or another text. */
export function bodyOf(valid: object | undefined, { raw, replaceAt, value }: OddRequest<string>["body"]): unknown {
  if (valid === undefined) return undefined;
  if (raw !== undefined) return raw;
  let place = 0;
  return JSON.parse(JSON.stringify(valid), (_, each: unknown) => (place++ === replaceAt ? value : each)) as unknown;
}

export const isHeaderValue = (text: string): boolean => /^[\u0020-\u007e]*$/.test(text);
