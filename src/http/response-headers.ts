/** Response headers, by their names in the OpenAPI document. */
export const headers = {
  "x-request-id": {
    description: "The ID of the request in the service's log. Name it in a support request.",
    schema: { type: "string" },
  },
  "WWW-Authenticate": {
    description: "The accepted authentication scheme.",
    schema: { type: "string", examples: ["Bearer"] },
  },
  "Retry-After": {
    description: "Seconds after which the request can be sent again.",
    schema: { type: "integer", examples: [5] },
  },
};
