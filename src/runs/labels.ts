/** Labels of a run: text for programs, set by the create. */
export type Labels = Record<string, string>;

/** Labels per run, and characters of their names and values. */
export const [maxLabels, maxLabelNameLength, maxLabelLength] = [16, 64, 200] as const;

/** Names of labels, as a part of a regular expression. `__proto__` is not a name: a DynamoDB client would lose it. */
export const labelNamePattern = `(?!__proto__(?:$|=))[A-Za-z0-9_.-]{1,${maxLabelNameLength}}`;
