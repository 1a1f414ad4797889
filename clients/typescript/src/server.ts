import type { Deadline } from "./clock.ts";
import { APIError, NotSupported } from "./errors.ts";
import { ext } from "./generated/operations.ts";
import { filled, type Http } from "./http.ts";
import type { Agent } from "./types.ts";

/** What the server can do. It is asked once. */
export class Server {
  readonly #http: Http;
  #agent: Agent | undefined | "unknown" = "unknown";

  constructor(http: Http) {
    this.#http = http;
  }

  /** The agent of the API key. Undefined: the server has the API v1 only. */
  async agent(deadline: Deadline): Promise<Agent | undefined> {
    if (this.#agent === "unknown") this.#agent = await this.#read(deadline);
    return this.#agent;
  }

  async #read(deadline: Deadline): Promise<Agent | undefined> {
    try {
      return await this.#http.object<Agent>({ ...filled(ext.get_agent), deadline }, ["id", "max_inline_bytes"]);
    } catch (error) {
      const isUnknownPath = error instanceof APIError && error.status === 404 && error.code === undefined;
      if (isUnknownPath) return undefined;
      throw error;
    }
  }

  /** Rejects with `NotSupported` if the server has v1 only. `what`: what the caller wants to do. */
  async require(what: string, deadline: Deadline): Promise<void> {
    if ((await this.#http.retry(deadline, () => this.agent(deadline))) === undefined) {
      throw new NotSupported(`the server at ${this.#http.baseUrl} has only the API v1, which cannot ${what}`);
    }
  }
}
