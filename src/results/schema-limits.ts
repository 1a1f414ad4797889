/**
 * Of a schema of a result. `maxBytes`: of UTF-8, as JSON. `maxDepth`: schemas within schemas. `maxPatternCharacters` and
 * `maxStates`: of all different patterns together. `maxPatternStates`: of one. A pattern of 3,000 states, such as three times
 * `(a{1000})`, takes 10 ms to compile, and is compiled without a pause.
 */
export const schemaLimits = {
  maxBytes: 65_536,
  maxDepth: 20,
  maxPatternCharacters: 16_000,
  maxPatternStates: 3_000,
  maxStates: 20_000,
};
