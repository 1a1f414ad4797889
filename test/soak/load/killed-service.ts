import type { Service } from "../../integration/service.ts";

/** What a request was answered. */
export interface Answer<Body> {
  status: number;
  bytes: Buffer;
  body: Body;
}

/** The service was killed before its response was there: the caller does not know whether the request was carried out. */
export class Unanswered extends Error {}

interface Request {
  /** A content is sent as it is, anything else as JSON. */
  body?: object | Buffer;
  /** Statuses of the response that are right. */
  expected?: number[];
}

const typeOf = (path: string, body: object | Buffer): string => {
  if (!Buffer.isBuffer(body)) return "application/json";
  return path.endsWith("/import") ? "application/zip" : "application/octet-stream";
};

/** A service that is killed and started again, as its callers see it. `apiKey`: of the agent that its callers use. */
export class KilledService implements AsyncDisposable {
  apiKey = "";
  /** Milliseconds of the longest start. */
  longestStart = 0;
  #kills = 0;
  #up: Promise<Service>;
  readonly #start: () => Promise<Service>;
  #moments = 0;
  #awaited: { moments: number; reached: () => void }[] = [];

  constructor(start: () => Promise<Service>) {
    this.#start = async () => {
      const before = performance.now();
      const service = await start();
      this.longestStart = Math.max(this.longestStart, performance.now() - before);
      return service;
    };
    this.#up = this.#start();
  }

  get current(): Promise<Service> {
    return this.#up;
  }

  /** Sends a request of a program, or below `/manage` of the operator. Waits while the service is started. */
  async send<Body = unknown>(method: string, path: string, request: Request = {}): Promise<Answer<Body>> {
    const { body, expected = [200, 201, 202, 204] } = request;
    const service = await this.#up;
    const kills = this.#kills;
    const token = path.startsWith("/manage") ? new URL(service.consoleUrl).hash.slice(1) : this.apiKey;
    const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": typeOf(path, body) }) };
    const content = body && { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) };
    this.#moment();
    let response: Response;
    let bytes: Buffer;
    try {
      response = await fetch(`${service.baseUrl}${path}`, { method, headers, ...content });
      bytes = Buffer.from(await response.arrayBuffer());
    } catch (error) {
      if (this.#kills === kills) throw new Error(`${method} ${path} failed without a kill`, { cause: error });
      throw new Unanswered(`${method} ${path}`);
    } finally {
      this.#moment();
    }
    const { status } = response;
    if (!expected.includes(status)) throw new Error(`${method} ${path} answered ${status}: ${bytes.toString()}`);
    const isJson = response.headers.get("content-type")?.includes("json");
    return { status, bytes, body: (isJson ? JSON.parse(bytes.toString()) : undefined) as Body };
  }

  /** Sends a request until there is an answer: only what may be repeated. */
  async insist<Body = unknown>(...request: Parameters<KilledService["send"]>): Promise<Answer<Body>> {
    for (;;) {
      try {
        return await this.send<Body>(...request);
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
      }
    }
  }

  /** A moment of its load: a request that is sent, or a response that has arrived. */
  #moment(): void {
    this.#moments++;
    for (const { reached } of this.#awaited.filter(({ moments }) => moments <= this.#moments)) reached();
    this.#awaited = this.#awaited.filter(({ moments }) => moments > this.#moments);
  }

  /** Resolves after so many moments. */
  after(moments: number): Promise<void> {
    return new Promise((reached) => this.#awaited.push({ moments: this.#moments + moments, reached }));
  }

  /** Kills the service and starts it again. */
  async kill(): Promise<void> {
    const service = await this.#up;
    this.#kills++;
    this.#up = service.end("SIGKILL").then(this.#start);
    await this.#up;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const service = await this.#up.catch(() => {});
    await service?.end("SIGKILL");
  }
}
