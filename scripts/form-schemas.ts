import type { ApiDescription } from "../src/http/description.ts";

/** Bodies that the page shows as forms. */
const shown = [
  "CreateRunRequest",
  "ModelSettings",
  "SetWebFetchRequest",
  "SetWebhookEndpointRequest",
  "SetWebhookRequest",
  "UpdateOrganizationRequest",
];

/** A TypeScript module with the schemas of bodies that the page shows as forms, with what they refer to. */
export function formSchemas({ schemas }: Pick<ApiDescription, "schemas">): string {
  const whole = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(whole);
    if (typeof value !== "object" || value === null) return value;
    if ("$ref" in value) return whole(schemas[String(value.$ref).split("/").at(-1) ?? ""]);
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, whole(part)]));
  };
  const constants = shown.map((name) => `export const ${name} = ${JSON.stringify(whole(schemas[name]))};\n`);
  return `/* Schemas of bodies that the page shows as forms. */\n\n${constants.join("\n")}`;
}
