/** A number as it is written in a field: with thousands separators, and all its digits. */
function numberText(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 20 });
}

/** Dollars have two decimals at least. */
export function amountText(name: string, value: number): string {
  const dollars = /dollars/i.test(name) && !Number.isInteger(value);
  return dollars
    ? value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 20 })
    : numberText(value);
}

/** Reads a number that a person wrote: `500,000`, `500 000`, `0.5`. Undefined: it is not a number. */
export function parseNumber(text: string): number | undefined {
  const digits = text.replaceAll(/[\s,_']/g, "");
  return /^-?(\d+\.?\d*|\.\d+)(e\d+)?$/i.test(digits) ? Number(digits) : undefined;
}
