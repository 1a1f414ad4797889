/** One setting of a deployment. */
export interface Setting<T> {
  fallback: T;
  /** The accepted values, for error messages. */
  accepted: string;
  /** Returns undefined if the value is not accepted. Values from the command line are strings. */
  parse: (value: unknown) => T | undefined;
}

export function setting<T>(fallback: T, accepted: string, parse: (value: unknown) => T | undefined): Setting<T> {
  return { fallback, accepted, parse };
}

export function pattern(fallback: string, expression: RegExp, accepted: string): Setting<string> {
  return setting(fallback, accepted, (value) => (expression.test(String(value)) ? String(value) : undefined));
}

/** The first choice is the default. */
export function oneOf<Choice extends string>(first: Choice, ...others: Choice[]): Setting<Choice> {
  const choices = [first, ...others];
  return setting(first, choices.join(" or "), (value) => choices.find((choice) => choice === value));
}

export function wholeNumber(fallback: number, min: number, max: number): Setting<number> {
  return setting(fallback, `a whole number from ${min} to ${max}`, (value) =>
    /^\d{1,9}$/.test(String(value)) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined,
  );
}

/** A whole number that can also be `auto`, which is the default: what `npm run deploy` computes for the account. */
export function autoOr(min: number, max: number): Setting<number | "auto"> {
  const { parse } = wholeNumber(min, min, max);
  const accepted = `auto or a whole number from ${min} to ${max}`;
  return setting<number | "auto">("auto", accepted, (value) => (value === "auto" ? value : parse(value)));
}

/** A JSON array, or texts separated by commas. Empty by default. `parse` returns undefined for a text that is not accepted. */
export function listOf(accepted: string, parse: (text: string) => string | undefined): Setting<string[]> {
  return setting<string[]>([], accepted, (value) => {
    const items = (Array.isArray(value) ? value.map(String) : String(value).split(",")).map((each) => each.trim());
    const given = items.filter((each) => each !== "").map(parse);
    return given.every((each) => each !== undefined) ? given : undefined;
  });
}

/** As `listOf`, of texts that match. */
export function list(accepted: string, item: RegExp): Setting<string[]> {
  return listOf(accepted, (text) => (item.test(text) ? text : undefined));
}
