/** Seconds that the token of a run is valid. */
export const tokenSeconds = { least: 60, default: 3_600, most: 30 * 86_400 };

/** Tokens of a run that are valid at the same time. */
export const maxRunTokens = 20;
