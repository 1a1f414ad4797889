/*
 * Limits of trials that the contracts show. The page infers its types from the contracts: this file imports nothing.
 */

/** Cases of a trial. */
export const maxCases = 500;

/** Cases of a trial in progress at the same time. */
export const maxConcurrency = 16;
