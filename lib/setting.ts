/** One setting of a deployment. */
export interface Setting<T> {
  /** For docs/deploying.md, as Markdown. */
  meaning: string;
  fallback: T;
  /** The accepted values, for error messages. */
  accepted: string;
  /** Returns undefined if the value is not accepted. Values from the command line are strings. */
  parse: (value: unknown) => T | undefined;
}

export function setting<T>(
  meaning: string,
  fallback: T,
  accepted: string,
  parse: (value: unknown) => T | undefined,
): Setting<T> {
  return { meaning, fallback, accepted, parse };
}

export function pattern(meaning: string, fallback: string, expression: RegExp, accepted: string): Setting<string> {
  return setting(meaning, fallback, accepted, (value) => (expression.test(String(value)) ? String(value) : undefined));
}

/** The first choice is the default. */
export function oneOf<Choice extends string>(meaning: string, first: Choice, ...others: Choice[]): Setting<Choice> {
  const choices = [first, ...others];
  return setting(meaning, first, choices.join(" or "), (value) => choices.find((choice) => choice === value));
}

export function wholeNumber(meaning: string, fallback: number, min: number, max: number): Setting<number> {
  return setting(meaning, fallback, `a whole number from ${min} to ${max}`, (value) =>
    /^\d{1,9}$/.test(String(value)) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined,
  );
}

/** A whole number that can also be `auto`, which is the default: what `npm run deploy` computes for the account. */
export function autoOr(meaning: string, min: number, max: number): Setting<number | "auto"> {
  const { accepted, parse } = wholeNumber(meaning, min, min, max);
  return setting<number | "auto">(meaning, "auto", `auto or ${accepted}`, (value) =>
    value === "auto" ? value : parse(value),
  );
}

/** A JSON array, or texts separated by commas. Empty by default. `parse` returns undefined for a text that is not accepted. */
export function listOf(
  meaning: string,
  accepted: string,
  parse: (text: string) => string | undefined,
): Setting<string[]> {
  return setting<string[]>(meaning, [], accepted, (value) => {
    const items = (Array.isArray(value) ? value.map(String) : String(value).split(",")).map((each) => each.trim());
    const given = items.filter((each) => each !== "").map(parse);
    return given.every((each) => each !== undefined) ? given : undefined;
  });
}

/** As `listOf`, of texts that match. */
export function list(meaning: string, accepted: string, item: RegExp): Setting<string[]> {
  return listOf(meaning, accepted, (text) => (item.test(text) ? text : undefined));
}
