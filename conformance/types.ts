/** The server under test and the credentials that the suite may use. */
export interface TestedServer {
  /** Without `/v1`. A trailing slash is accepted. */
  baseUrl: string;
  apiKey: string;
  templateId: string;
  /** Longest duration of a run. */
  timeoutSeconds: number;
  /** Whether the agent's output quotes names and first lines of its files. */
  quotesFiles: boolean;
  /** A valid key of another agent. */
  otherApiKey?: string;
  disabledApiKey?: string;
}

/** A complete HTTP response. `json` is undefined for a body that is not JSON. */
export interface HttpResponse {
  status: number;
  contentType: string;
  /** By lower-case name. */
  headers: Record<string, string>;
  text: string;
  json: unknown;
  milliseconds: number;
}
