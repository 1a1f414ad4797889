import { body, integer, object, text, time, uuid } from "../../../http/rest/schemas/schema-builders.ts";
import { newRunLimits } from "../../../runs/begin/new-run-limits.ts";

export const uploadSchemas = {
  CreateUploadRequest: body(
    "A file that will be sent.",
    {
      filename: text("The name the file is saved under, as in a create.", {
        minLength: 1,
        maxLength: newRunLimits.filenameLength,
        examples: ["measurements.csv"],
      }),
      size: integer("Bytes.", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      sha256: text("SHA-256 of the content: 64 hex digits.", { pattern: "^[0-9a-fA-F]{64}$" }),
      template_id: uuid("The agent whose creates can name the upload, one of the key's. Default: the key's first one."),
    },
    ["filename", "size", "sha256"],
  ),
  Upload: object("Where to send a file.", {
    upload_id: uuid("The upload's ID, for `uploads` of a create."),
    url: text("Where to send the bytes, within an hour: absolute, or relative to the address of this API.", {
      examples: ["/ext/v1/uploads/0192f0c1-2b3c-4d5e-8f90-a1b2c3d4e5f6"],
    }),
    method: { type: "string", const: "PUT", description: "The method of the request." },
    headers: {
      type: "object",
      description: "Headers of the request. Send the key only to the origin of this API.",
      additionalProperties: { type: "string" },
    },
    expires_at: time("Until when creates can name the upload."),
  }),
};
