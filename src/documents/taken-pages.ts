/** Pages of one PDF that a model is shown at a time. Five such PDFs fit the 100 pages of a request that providers accept. */
export const maxShownPages = 20;

/** Pages of a PDF, counted from 1. Absent `content`: they are the document itself, or more than `maxShownPages`. */
export interface TakenPages {
  /** Pages of the document. */
  count: number;
  first: number;
  last: number;
  content?: Uint8Array;
}
