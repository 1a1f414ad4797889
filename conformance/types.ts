/** The server under test and what the suite may use there. */
export interface Target {
  /** Without `/v1`; a slash at the end does no harm. */
  baseUrl: string;
  apiKey: string;
  templateId: string;
  /** How long a run may take to its end. */
  timeoutSeconds: number;
  /** The agent's output quotes names and first lines of the files it was sent. */
  quotesFiles: boolean;
  /** A valid key of another agent. */
  otherApiKey?: string;
  disabledApiKey?: string;
}

/** One HTTP answer, read to its end. `json` is undefined for a body that is not JSON. */
export interface Answer {
  status: number;
  contentType: string;
  text: string;
  json: unknown;
  milliseconds: number;
}
