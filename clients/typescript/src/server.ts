import type { Deadline } from "./clock.ts";
import { APIError, NotSupported } from "./errors.ts";
import { ext } from "./generated/operations.ts";
import { filled, type Http } from "./http.ts";
import type { Agent } from "./types.ts";

/** What the server can do. It is asked once. */
export class Server {
  readonly #http: Http;
  /** An error: the server has the extension API, and the credential is a token of one run, which does not show the agent. */
  #found: Agent | APIError | undefined | "unknown" = "unknown";

  constructor(http: Http) {
    this.#http = http;
  }

  /** The agent of the API key. Undefined: the server has the API v1 only. */
  async agent(deadline: Deadline): Promise<Agent | undefined> {
    const found = await this.#find(deadline);
    if (found instanceof APIError) throw found;
    return found;
  }

  /** The seconds that a read may wait. Undefined: the server has the API v1 only. */
  async waitSeconds(deadline: Deadline): Promise<number | undefined> {
    const found = await this.#find(deadline);
    // Servers before 0.2 have no `wait_seconds`.
    return found && ("wait_seconds" in found ? found.wait_seconds : 0);
  }

  async #find(deadline: Deadline): Promise<Agent | APIError | undefined> {
    if (this.#found === "unknown") this.#found = await this.#read(deadline);
    return this.#found;
  }

  async #read(deadline: Deadline): Promise<Agent | APIError | undefined> {
    try {
      return await this.#http.object<Agent>({ ...filled(ext.get_agent), deadline }, ["id", "max_inline_bytes"]);
    } catch (error) {
      if (!(error instanceof APIError)) throw error;
      if (error.code === "token_reads_one_run") return error;
      const isUnknownPath = error.status === 404 && error.code === undefined;
      if (isUnknownPath) return undefined;
      throw error;
    }
  }

  /** Rejects with `NotSupported` if the server has v1 only. `what`: what the caller wants to do. */
  async require(what: string, deadline: Deadline): Promise<void> {
    if ((await this.#http.retry(deadline, () => this.#find(deadline))) === undefined) {
      throw new NotSupported(`the server at ${this.#http.baseUrl} has only the API v1, which cannot ${what}`);
    }
  }
}
