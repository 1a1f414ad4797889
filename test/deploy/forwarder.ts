import { request } from "node:http";
import { type HttpServer, httpServer } from "../support/http-server.ts";

/** Starts a local server that forwards every request and overrides these headers. */
export function forwardTo(
  { hostname, port }: Pick<URL, "hostname" | "port">,
  headers: Record<string, string>,
): Promise<HttpServer> {
  return httpServer((incoming, outgoing) => {
    const { method, url: path } = incoming;
    const options = { hostname, port, method, path, headers: { ...incoming.headers, ...headers }, agent: false };
    const onward = request(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
}
