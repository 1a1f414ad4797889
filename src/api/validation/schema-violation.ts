/** A violation of a schema that a generated validator found. `schema`: the value of the keyword. `data`: the value at `instancePath`. */
export interface SchemaViolation {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  schema: unknown;
  parentSchema: { type?: unknown; format?: unknown };
  data: unknown;
  /** Of a property whose name violates `propertyNames`. */
  propertyName?: string;
}

/** A generated validator. It can change the value: see its module. */
export interface SchemaValidator {
  (value: unknown): boolean;
  errors?: SchemaViolation[] | null;
}
