/*
 * Limits of trials that the contracts show. The page infers its types from the contracts: this file imports nothing.
 */

/** Cases of a trial. */
export const maxCases = 500;
