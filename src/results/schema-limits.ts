/** Of a schema of a result. `maxBytes`: of UTF-8, as JSON. `maxDepth`: schemas within schemas. */
export const schemaLimits = { maxBytes: 65_536, maxDepth: 20 };
