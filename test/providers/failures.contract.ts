import { once } from "node:events";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { selfSigned } from "../fixtures/certificate.ts";
import { callModel, failureOf, request } from "./call-model.ts";
import { modelServer, type Reply } from "./model-server.ts";
import { rejects, type ScriptedResponse, type ProviderFixture } from "./provider-fixture.ts";

const half: ScriptedResponse = { text: ["Half", " of it."] };

/** Failures of a model call, for every provider. */
export function failuresSuite(provider: ProviderFixture): void {
  describe("a failure", () => {
    it.each([
      [400, "model_refused", false],
      [401, "model_configuration", false],
      [402, "model_configuration", false],
      [403, "model_configuration", false],
      [404, "model_configuration", false],
      [408, "model_unavailable", true],
      [409, "model_unavailable", true],
      [413, "model_refused", false],
      [422, "model_refused", false],
      [424, "model_unavailable", true],
      [429, "model_unavailable", true],
      [500, "model_unavailable", true],
      [503, "model_unavailable", true],
      [529, "model_unavailable", true],
    ] as const)(
      "with status %i is %s, quotes the server, gives a remedy, and contains no credentials",
      async (status, category, retryable) => {
        const printed = vi.spyOn(console, "error").mockImplementation(() => {});
        const { outcome, received } = await callModel(
          provider,
          rejects(provider, status, `Words for key ${provider.credential}`),
        );
        const failure = failureOf(outcome);
        expect(failure).toMatchObject({
          category,
          retryable,
          title: expect.stringMatching(`${status}: Words for key`),
        });
        expect(failure.remedy).toMatch(/^[A-Z].{10,}\.$/);
        expect(JSON.stringify(outcome)).not.toContain(provider.credential);
        expect(received).toHaveLength(1);
        expect(printed).not.toHaveBeenCalled();
        printed.mockRestore();
      },
    );

    it.each<[Record<string, string>, number, number]>([
      [{ "retry-after": "7" }, 7000, 7000],
      [{ "retry-after-ms": "250", "retry-after": "7" }, 250, 250],
      [{ "retry-after": "2s" }, 2000, 2000],
      [{ "retry-after": "1.5 seconds" }, 1500, 1500],
      [{ "retry-after": new Date(Date.now() + 3_600_000).toUTCString() }, 3_000_000, 3_600_000], // the tests before it take a while
      [{ "retry-after-ms": "", "retry-after": "3" }, 3000, 3000],
      [{ "retry-after": "Wed, 21 Oct 2099 07:28:00 GMT" }, 1e11, 1e13],
      [{ "retry-after": "99999999999999999999" }, 1e11, 1e30],
      [{ "retry-after": new Date(0).toUTCString() }, 0, 0],
    ])("has the delay of the header %j", async (headers, least, most) => {
      const { outcome } = await callModel(provider, rejects(provider, 429, "Slow down", headers));
      const { retryAfterMs } = outcome as { retryAfterMs?: number };
      expect(retryAfterMs).toBeGreaterThanOrEqual(least);
      expect(retryAfterMs).toBeLessThanOrEqual(most);
    });

    it("has no delay without a valid header", async () => {
      const unusable: Record<string, string>[] = [{}, { "retry-after": "soon" }];
      for (const headers of unusable) {
        const { outcome } = await callModel(provider, rejects(provider, 503, "Busy", headers));
        expect(outcome).not.toHaveProperty("retryAfterMs");
      }
    });

    it.each<[string, Reply]>([
      ["closed before the response", (response) => void response.destroy()],
      [
        "reset during the response",
        async (response) => {
          provider.send(response, half, "beginning");
          await sleep(20);
          response.destroy();
        },
      ],
      [
        "ended during the response",
        (response) => {
          provider.send(response, half, "beginning");
          response.end();
        },
      ],
    ])("is retryable when the connection is %s", async (_, reply) => {
      const { outcome } = await callModel(provider, reply);
      expect(failureOf(outcome)).toMatchObject({ category: "model_unavailable", retryable: true });
    });

    it("can occur in the stream", async () => {
      const { outcome } = await callModel(provider, (response) => {
        provider.send(response, half, "beginning");
        provider.sendError(response, "Overloaded just now");
      });
      expect(failureOf(outcome)).toMatchObject({
        category: "model_unavailable",
        retryable: true,
        title: expect.stringContaining("Overloaded just now"),
      });
    });

    it.each<[string, Reply]>([
      ["does not respond", () => {}],
      ["stops sending during the response", (response) => provider.send(response, half, "beginning")],
    ])("is retryable and closes the connection when the server %s", async (_, reply) => {
      const closed = Promise.withResolvers<void>();
      const { outcome } = await callModel(
        provider,
        (response, received) => {
          response.on("close", () => closed.resolve());
          return reply(response, received);
        },
        {},
        { idleTimeout: 150 },
      );
      await closed.promise;
      const { title, ...failure } = failureOf(outcome);
      expect(failure).toMatchObject({ category: "model_unavailable", retryable: true });
      expect(title).toContain("no data received for 0.15 s");
    });

    it("in the stream closes the connection", async () => {
      const closed = Promise.withResolvers<void>();
      await using server = await modelServer((response) => {
        response.on("close", () => closed.resolve());
        provider.send(response, half, "beginning");
        response.end = () => response;
        provider.sendError(response, "Overloaded just now");
      });
      const outcome = await provider.open(server.baseUrl)(request());
      expect(failureOf(outcome).title).toContain("Overloaded just now");
      expect(outcome).toHaveProperty("begun", true);
      await closed.promise;
    });

    it("has begun to answer only if the server answered with success", async () => {
      const cut = await callModel(provider, (response) => {
        provider.send(response, half, "beginning");
        setTimeout(() => response.destroy(), 20);
      });
      expect(failureOf(cut.outcome)).toMatchObject({ retryable: true });
      expect(cut.outcome).toHaveProperty("begun", true);
      const refused = await callModel(provider, rejects(provider, 503, "Busy"));
      expect(failureOf(refused.outcome)).toMatchObject({ retryable: true });
      expect(refused.outcome).not.toHaveProperty("begun");
    });

    it("does not occur when the whole response takes longer than the idle timeout", async () => {
      const { outcome } = await callModel(
        provider,
        async (response) => {
          const write = response.write.bind(response) as (chunk: unknown) => boolean;
          const chunks: unknown[] = [];
          response.write = (chunk: unknown) => chunks.push(chunk) > 0;
          provider.send(response, { text: ["a", "b", "c", "d", "e", "f"] });
          for (const chunk of chunks) {
            write(chunk);
            await sleep(60);
          }
          response.end();
        },
        {},
        { idleTimeout: 300 },
      );
      expect(outcome).toMatchObject({ answer: { text: "abcdef" } });
    });

    it("is not retryable when the server sends a web page", async () => {
      const { outcome } = await callModel(provider, (response) => {
        response.writeHead(200, { "content-type": "text/html" }).end("<html><body>Welcome to nginx!</body></html>");
      });
      expect(failureOf(outcome)).toMatchObject({ category: "model_answer", retryable: false });
    });

    it("is not retryable when the server redirects; the credentials are not sent on", async () => {
      await using elsewhere = await modelServer();
      const { outcome } = await callModel(provider, (response) => {
        response.writeHead(307, { location: elsewhere.baseUrl, "content-type": "text/plain" }).end("Moved");
      });
      expect(failureOf(outcome)).toMatchObject({ category: "model_configuration", retryable: false });
      expect(elsewhere.received).toHaveLength(0);
    });

    it.each([
      ["another protocol than HTTP", "SSH-2.0-OpenSSH_9.9\r\n", "model_answer", false],
      [
        "an upgraded protocol",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        "model_unavailable",
        true,
      ],
    ])("reports that the server speaks %s", async (_, bytes, category, retryable) => {
      const server = createServer((socket) => void socket.on("error", () => {}).once("data", () => socket.end(bytes)));
      await once(server.listen(0, "127.0.0.1"), "listening");
      const { port } = server.address() as AddressInfo;
      const failure = failureOf(await provider.open(`http://127.0.0.1:${port}/v1`)(request()));
      server.close();
      expect(failure).toMatchObject({ category, retryable });
    });

    it("names the server whose certificate is not accepted", async () => {
      const server = createSecureServer(selfSigned).listen(0, "localhost");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const failure = failureOf(await provider.open(`https://localhost:${port}/v1`)(request()));
      server.close();
      expect(failure).toMatchObject({ category: "model_configuration", retryable: false });
      expect(failure.title).toMatch(/^The certificate of the model server .* is not accepted: self-signed certificate/);
      expect(failure.remedy).toContain("NODE_EXTRA_CA_CERTS");
    });

    it("is retryable when the port is closed", async () => {
      const free = createServer().listen(0, "127.0.0.1");
      await once(free, "listening");
      const { port } = free.address() as { port: number };
      await new Promise((resolve) => free.close(resolve));
      const failure = failureOf(await provider.open(`http://127.0.0.1:${port}/v1`)(request()));
      expect(failure).toMatchObject({ category: "model_unavailable", retryable: true });
      expect(failure.title).toContain(`http://127.0.0.1:${port}`);
    });
  });

  describe("an abort", () => {
    it.each<[string, Reply]>([
      ["before the response", () => {}],
      ["during the response", (response) => provider.send(response, half, "beginning")],
    ])("%s closes the connection and rejects with the reason of the abort", async (_, reply) => {
      const arrived = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<void>();
      await using server = await modelServer((response, received) => {
        response.on("close", () => closed.resolve());
        arrived.resolve();
        return reply(response, received);
      });
      const stop = new AbortController();
      const outcome = provider.open(server.baseUrl)(request({ signal: stop.signal }));
      await arrived.promise;
      await sleep(30);
      const reason = new Error("stopped by an operator");
      stop.abort(reason);
      await expect(outcome).rejects.toBe(reason);
      await closed.promise;
    });

    it("before the call makes no connection", async () => {
      await using server = await modelServer();
      const signal = AbortSignal.abort(new Error("too late"));
      await expect(provider.open(server.baseUrl)(request({ signal }))).rejects.toThrow("too late");
      expect(server.received).toHaveLength(0);
    });
  });
}
