import type { Deadline } from "./clock.ts";
import { APIError, NotSupported } from "./errors.ts";
import { ext } from "./generated/operations.ts";
import { filled, type Http } from "./http.ts";
import type { Agent } from "./types.ts";

/** What the server can do. It is asked once. */
export class Server {
  readonly #http: Http;
  /** An error: the credential is a token of one run, which does not show the agent. */
  #found: Agent | APIError | undefined;

  constructor(http: Http) {
    this.#http = http;
  }

  /** The agent of the API key. */
  async agent(deadline: Deadline): Promise<Agent> {
    const found = await this.#find(deadline);
    if (found instanceof APIError) throw found;
    return found;
  }

  /** The seconds that a read may wait. */
  async waitSeconds(deadline: Deadline): Promise<number> {
    const found = await this.#find(deadline);
    return found instanceof APIError ? 0 : found.wait_seconds;
  }

  /** Rejects with `NotSupported` if the server has no extension API. */
  async require(deadline: Deadline): Promise<void> {
    await this.#http.retry(deadline, () => this.#find(deadline));
  }

  async #find(deadline: Deadline): Promise<Agent | APIError> {
    return (this.#found ??= await this.#read(deadline));
  }

  async #read(deadline: Deadline): Promise<Agent | APIError> {
    try {
      return await this.#http.object<Agent>({ ...filled(ext.get_agent), deadline }, ["id", "max_inline_bytes"]);
    } catch (error) {
      if (!(error instanceof APIError)) throw error;
      if (error.code === "token_reads_one_run") return error;
      const isUnknownPath = error.status === 404 && error.code === undefined;
      if (!isUnknownPath) throw error;
      const advice = "use the address of an Agent Run Service, without a path of an API, or call v1 over HTTP";
      throw new NotSupported(`the server at ${this.#http.baseUrl} has no /ext/v1, which this client calls; ${advice}`);
    }
  }
}
