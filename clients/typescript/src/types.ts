import type { components } from "./generated/ext.ts";

// Responses keep the names of the wire, in snake_case.
type Schemas = components["schemas"];
export type Agent = Schemas["Agent"];
export type Event = Schemas["Event"];
export type Failure = Schemas["Failure"];
export type OpenCall = Schemas["OpenCall"];
export type ResultError = Schemas["ResultError"];
export type RunDetail = Schemas["RunDetail"];
export type RunFile = Schemas["RunFile"];
export type RunToken = Schemas["CreatedRunToken"];
export type RunSummary = Schemas["Run"];
export type Usage = Schemas["Usage"];
export type RunLimits = NonNullable<Schemas["CreateRunRequest"]["limits"]>;
export type Upload = Schemas["Upload"];

/** `running`; `finished`: idle, its output is complete; `technical_error`; `terminated`: stopped or deleted. */
export type RunStatus = RunSummary["status"];

/** `Uint8Array<ArrayBuffer>`, also for TypeScript before 5.7, whose `Uint8Array` has no parameter. */
export type Bytes = ReturnType<Uint8ArrayConstructor["of"]>;

/** A file for a run: a path (Node), a browser's `File`, or a name with the content. Large ones are read while they are sent. */
export type FileInput = string | File | { name: string; content: string | Uint8Array | Blob };

export interface Page<Item> {
  data: Item[];
  next: string | null;
}
