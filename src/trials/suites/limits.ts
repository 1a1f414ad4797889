/*
 * Limits of suites that the contracts show. The page infers its types from the contracts: this file imports nothing.
 */

/** Suites of an agent. */
export const maxSuites = 100;

/** Names of suites, as a part of a regular expression. */
export const suiteNamePattern = "[A-Za-z0-9][A-Za-z0-9_.-]{0,63}";

/** Rules of a redaction, and characters of one of them. */
export const [maxRules, maxRuleLength] = [50, 1_000] as const;

export const defaultReplacement = "[redacted]";
