/** The schema of an item in the body of a 422, as FastAPI sends it. */
export const ValidationError = {
  type: "object",
  description: "One schema violation.",
  required: ["loc", "msg", "type"],
  properties: {
    loc: {
      type: "array",
      items: { anyOf: [{ type: "string" }, { type: "integer" }] },
      description: "Where it is: `body` or `path`, then field names and list positions.",
    },
    msg: { type: "string" },
    type: { type: "string", description: "The kind of violation, for programs.", examples: ["string_too_long"] },
    input: { description: "What was received. Left out where it is longer than 1,000 characters." },
    ctx: {
      type: "object",
      additionalProperties: true,
      description:
        "Details: the limit that was exceeded, or in `error` what could not be parsed, such as a `Content-Type` that is not JSON.",
    },
  },
} as const;
