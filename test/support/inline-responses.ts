interface Inlined {
  components: { responses?: Record<string, object> };
  paths: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>;
}

/** An OpenAPI document whose operations have their responses themselves, in place of references to its components. */
export function inlineResponses<Document extends { components: object; paths: object }>(document: Document): Document {
  const { components, paths } = document as unknown as Inlined;
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, { $ref = "" }] of Object.entries(responses)) {
      const shared = components.responses?.[$ref.replace("#/components/responses/", "")];
      if (shared !== undefined) responses[status] = shared;
    }
  }
  return document;
}
