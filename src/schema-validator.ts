/** A violation of a schema that a compiled validator found. `schema`: the value of the keyword. `data`: the value at `instancePath`. */
export interface SchemaViolation {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  schema: unknown;
  parentSchema: { type?: unknown; format?: unknown; oneOf?: unknown };
  data: unknown;
  /** Of a property whose name violates `propertyNames`. */
  propertyName?: string;
  /** Only of validators that explain violations to people. */
  message?: string;
}

/** A validator in `dist/generated`, which `scripts/build-validators.ts` compiles. It can set defaults in the value. */
export interface SchemaValidator {
  (value: unknown): boolean;
  errors?: SchemaViolation[] | null;
}
