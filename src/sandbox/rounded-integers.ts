/** What begins a string or a number of a JSON text. */
const start = /["\d-]/g;
const number = /-?\d[\d.eE+-]*/y;
/** What integers do not have. */
const fraction = /[.eE]/;
/** 2^53 has 16 digits. */
const minDigits = 16;
/** Digits of an integer that is compared. `Number` turns longer ones into Infinity. */
const maxDigits = 300;

/** Counts the integers that `JSON.parse` rounded, such as 64-bit IDs. */
export function roundedIntegers(): { add(json: string): undefined; notes(): string[] } {
  let count = 0;
  let example = "";
  return {
    /** `json`: a valid JSON text. */
    add(json) {
      for (const integer of longIntegers(json)) {
        if (integer.length <= maxDigits && BigInt(integer) === BigInt(Number(integer))) continue;
        if (count++ === 0) example = integer.slice(0, maxDigits);
      }
    },
    notes: () =>
      count === 0
        ? []
        : [
            `JSON.parse rounded ${count} ${count === 1 ? "integer" : "integers"} over 2^53, such as ${example} to ${Number(example)}. ` +
              "To keep all digits, make them strings before parsing: " +
              String.raw`text.replace(/([:[,]\s*)(-?\d{16,})(?=\s*[,\]}])/g, '$1"$2"').`,
          ],
  };
}

/** The integers of at least 16 digits that are not in strings. */
function* longIntegers(json: string): Generator<string> {
  for (let at = 0; ;) {
    start.lastIndex = at;
    const found = start.exec(json);
    if (!found) return;
    at = found.index;
    if (found[0] === '"') {
      at = endOfString(json, at);
      continue;
    }
    number.lastIndex = at;
    const token = number.exec(json)?.[0] ?? "-";
    if (token.length >= minDigits && !fraction.test(token)) yield token;
    at += token.length;
  }
}

/** The place behind the string that begins at `at`. A quote behind an odd number of backslashes does not end it. */
function endOfString(json: string, at: number): number {
  for (let quote = json.indexOf('"', at + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json[before - 1] === "\\") before--;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return json.length;
}
