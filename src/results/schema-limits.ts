/**
 * Of a schema of a result. `maxBytes`: of UTF-8, as JSON. `maxDepth`: schemas within schemas. `maxPatternCharacters`: of all
 * different patterns together. 990 characters such as `(a{1000})` took 90 ms to compile, so 16,000 take 1.5 s in all.
 */
export const schemaLimits = { maxBytes: 65_536, maxDepth: 20, maxPatternCharacters: 16_000 };
