import { type Clock, Deadline, systemClock } from "./clock.ts";
import { InvalidArgument } from "./errors.ts";
import { Http } from "./http.ts";
import { defaultLogger, type Logger } from "./logger.ts";
import { Runs } from "./runs.ts";
import { Server } from "./server.ts";
import type { Agent } from "./types.ts";

/** Milliseconds: JavaScript's timers take no more. */
const longestTimer = 2 ** 31 - 1;

export interface ClientOptions {
  /** The address of the service, without `/v1`. By default the environment variable AGENT_RUN_URL. */
  baseUrl?: string | undefined;
  /** `ak_…`. By default the environment variable AGENT_RUN_KEY. */
  apiKey?: string | undefined;
  /** The ID of the agent that creates mean, one of the key's. By default the key's first one. */
  templateId?: string | undefined;
  /** Milliseconds for the answer to one request, and for the next part of a stream or a download. 60,000 by default. */
  timeout?: number;
  /**
   * How often a request that may be repeated is, after 429, 5xx and lost connections: 1, 2, 4 … 30 s apart. 3 by default.
   * Waits and event streams continue until their own `timeout`, once anything has answered. A download that was cut counts anew with each part that arrives.
   */
  maxRetries?: number;
  /**
   * Its `debug` gets a line for each answer, and for each request that will be repeated, and its `warn` one for each error of a
   * function of `serveTools`. `console` is one. By default, the console gets the latter only.
   */
  logger?: Logger;
  /** Sends the requests. By default the global `fetch`. */
  fetch?: typeof fetch;
  /** The time. Only tests need it. */
  clock?: Clock;
}

/** A client of an Agent Run Service, for the agent of one API key. */
export class AgentRuns {
  readonly runs: Runs;
  readonly #server: Server;
  readonly #http: Http;

  constructor(options: ClientOptions = {}) {
    const { templateId, timeout = 60_000, maxRetries = 3, logger = defaultLogger, clock = systemClock } = options;
    requireWithin("timeout", timeout, 1, longestTimer);
    requireWithin("maxRetries", maxRetries, 0, Infinity);
    const send = options.fetch ?? ((input, init) => fetch(input, init));
    const baseUrl = baseUrlOf(options.baseUrl ?? environment("AGENT_RUN_URL"));
    const apiKey = apiKeyOf(options.apiKey ?? environment("AGENT_RUN_KEY"));
    this.#http = new Http({ baseUrl, apiKey, timeout, maxRetries, logger, fetch: send, clock });
    this.#server = new Server(this.#http);
    this.runs = new Runs(this.#http, this.#server, templateId);
  }

  /** The agent of the API key, with its limits, as it was when this client first asked for it. */
  async agent(): Promise<Agent> {
    const deadline = new Deadline(this.#http.clock);
    return this.#http.retry(deadline, () => this.#server.agent(deadline));
  }
}

function requireWithin(name: string, value: number, minimum: number, maximum: number): void {
  if (value >= minimum && value <= maximum) return; // not NaN
  throw new InvalidArgument(`${name} is ${value}; accepted: from ${minimum} to ${maximum}`);
}

function environment(name: string): string | undefined {
  return globalThis.process?.env[name];
}

function baseUrlOf(text: string | undefined): string {
  const url = text?.replace(/\/+$/, "") ?? "";
  const isBase = /^https?:\/\//.test(url) && URL.canParse(url) && !url.endsWith("/v1");
  if (isBase) return url;
  const problem = `the base URL is ${text === undefined ? "missing" : JSON.stringify(text)}`;
  const advice = "pass baseUrl or set AGENT_RUN_URL to a URL such as http://127.0.0.1:8787, without /v1";
  throw new InvalidArgument(`${problem}: ${advice}`);
}

function apiKeyOf(text: string | undefined): string {
  const key = text?.trim() ?? "";
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new InvalidArgument(
    `the API key is ${key === "" ? "missing" : "malformed"}: pass apiKey or set AGENT_RUN_KEY to ak_…`,
  );
}
