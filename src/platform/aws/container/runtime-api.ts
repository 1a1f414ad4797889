import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";

/** The facts of an invocation that a handler gets. */
export interface Invocation {
  /** Milliseconds since 1970 at which Lambda ends the function. */
  deadline: number;
}

export type Handler = (event: never, invocation: Invocation) => Promise<unknown>;

/**
 * Serves invocations one after the other, for a function whose image has no runtime of AWS's. AWS's own client for Node.js
 * compiles native code when it is installed.
 * The API: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html. `address`: `host:port`, as Lambda sets it.
 * Rejects when the API does not answer, and after it has reported an error of the handler: the process then has to end, and
 * Lambda starts another one.
 */
export async function serveInvocations(address: string, handler: Handler): Promise<never> {
  // A connection that was kept for as long as a program ran can be closed by then: the answer would be lost, and the process end.
  const agent = new Agent({ keepAlive: false });

  async function call(path: string, body?: unknown): Promise<{ headers: IncomingHttpHeaders; body: string }> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const headers =
      sent === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(sent) };
    const { promise, resolve, reject } = Promise.withResolvers<{ headers: IncomingHttpHeaders; body: string }>();
    const url = `http://${address}/2018-06-01/runtime/invocation/${path}`;
    request(url, { method: sent === undefined ? "GET" : "POST", headers, agent }, (response) => {
      const { statusCode = 0 } = response;
      text(response).then((answer) => {
        if (statusCode < 300) resolve({ headers: response.headers, body: answer });
        else reject(new Error(`the Runtime API answered ${statusCode} to ${path}: ${answer.slice(0, 300)}`));
      }, reject);
    })
      .once("error", reject)
      .end(sent);
    return promise;
  }

  for (;;) {
    const { headers, body } = await call("next"); // Lambda freezes the process until there is one
    const id = String(headers["lambda-runtime-aws-request-id"]);
    try {
      const deadline = Number(headers["lambda-runtime-deadline-ms"]);
      const answer = await handler(JSON.parse(body) as never, { deadline });
      await call(`${id}/response`, answer);
    } catch (error) {
      const { name, message } = error as Error;
      await call(`${id}/error`, { errorType: name, errorMessage: message });
      throw error;
    }
  }
}
