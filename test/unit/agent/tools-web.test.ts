import type { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, createServer, isIPv6, Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { httpServer } from "../../support/http-server.ts";
import type { AddressScope } from "../../../src/net/addresses.ts";
import { isPrivateNetworkAddress, isPublicAddress } from "../../../src/net/public-ip.ts";
import { readDocument } from "../../../src/documents/read-document.ts";
import { safeFetch } from "../../../src/net/safe-fetch.ts";
import { builtInTools } from "../../../src/agent/tools/index.ts";
import type { ToolOutput } from "../../../src/agent/tools/tool.ts";
import { files } from "./scripted.ts";

const neverAborts = new AbortController().signal;

function fetchPage(
  url: string,
  { privateAddresses = true, offset = 0, signal = neverAborts } = {},
): Promise<ToolOutput> {
  const agent = { tools: ["web_fetch"], webFetch: { privateAddresses } };
  const [tool] = builtInTools(agent, { addresses: "local", readDocument });
  if (!tool) throw new Error("no web_fetch");
  return tool.run({ url, ...(offset > 0 && { offset }) }, { files: files(), signal });
}

async function site(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const requested: (string | undefined)[] = [];
  const server = await httpServer((request, response) => {
    requested.push(request.url);
    answer(request, response);
  });
  return { ...server, requested };
}

describe("web_fetch", () => {
  it("converts HTML to Markdown and returns other text unchanged", async () => {
    const html =
      "<html><head><style>x</style></head><body><h1>Title</h1><p>A <a href='/b'>link</a>.</p><script>y()</script></body>";
    await using server = await site((request, response) => {
      response.setHeader("content-type", request.url === "/" ? "text/html; charset=utf-8" : "application/json");
      response.end(request.url === "/" ? html : '{"a":1}');
    });
    expect((await fetchPage(server.url)).text).toBe(
      `${server.url}/ (status 200): characters 0 to 22 of 22\n# Title\n\nA [link](/b).`,
    );
    expect((await fetchPage(`${server.url}/x`)).text).toMatch(/\n\{"a":1\}$/);
  });

  it("keeps tables, but not those that are used for layout", async () => {
    const table = "<table><caption>Prices</caption><thead><tr><th>Item<th>Price<tbody><tr><td>a|b<td><b>1</b></table>";
    const html = `<table><tr><td>Menu</td><td>${table}</td></tr></table>`;
    await using server = await site((_, response) => {
      response.setHeader("content-type", "text/html").end(html);
    });
    expect((await fetchPage(server.url)).text).toMatch(
      /\nMenu\n\nPrices\n*\| Item \| Price \|\n\| --- \| --- \|\n\| a\\\|b \| \*\*1\*\* \|$/,
    );
  });

  it("returns long pages in parts", async () => {
    await using server = await site((_, response) => response.end("ab".repeat(15_000)));
    const first = await fetchPage(server.url);
    expect(first.text).toMatch(/characters 0 to 20000 of 30000\n(ab)+\n\[More: continue with offset 20000\.\]$/);
    expect((await fetchPage(server.url, { offset: 20_000 })).text).toMatch(
      /characters 20000 to 30000 of 30000\n(ab)+$/,
    );
  });

  it.each([
    ["/missing", /status 404/],
    ["/large", /the response has more than 5242880 bytes/],
    ["/loop", /it redirects more than 5 times/],
    ["/binary", /it is a PNG image; only text/],
    ["/cut", /cannot be fetched/],
    ["/file", /file:\/\/ is not accepted/],
  ])("returns an error for %s", async (path, problem) => {
    await using server = await site((request, response) => {
      if (request.url === "/missing") response.writeHead(404).end("no such page");
      if (request.url === "/large") for (let n = 0; n < 6; n++) response.write("x".repeat(1024 * 1024));
      if (request.url === "/loop") response.writeHead(302, { location: "/loop" }).end();
      if (request.url === "/file") response.writeHead(302, { location: "file:///etc/passwd" }).end();
      if (request.url === "/binary") response.end(Buffer.from("89504e470d0a", "hex"));
      if (request.url === "/cut")
        response.writeHead(200, { "content-length": "100" }).write("x", () => response.destroy());
      else if (request.url === "/large") response.end();
    });
    const output = await fetchPage(server.url + path);
    expect(output).toMatchObject({ error: true, text: expect.stringMatching(problem) });
  });

  it("rejects private addresses, by name or number, directly or by a redirect", async () => {
    await using server = await site((_, response) => response.end("inside"));
    const { port } = server;
    const hosts = ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "0.0.0.0", "[::ffff:127.0.0.1]", "[::]"];
    for (const host of hosts) {
      const output = await fetchPage(`http://${host}:${port}/`, { privateAddresses: false });
      expect(output).toMatchObject({
        error: true,
        text: expect.stringMatching(/not an address of the public internet/),
      });
    }
    expect(server.requested).toEqual([]);
    for (const text of ["nonsense", "https:///example.com", "http:example.com"]) {
      expect((await fetchPage(text)).text).toContain(`"${text}" is not a valid URL`);
    }
  });

  it("reaches the hosts of the agent only, also after a redirect, and names them", async () => {
    await using server = await site((request, response) => {
      if (request.url === "/away") response.writeHead(302, { location: `http://[::1]:${server.port}/` });
      response.end("inside");
    });
    const { port } = server;
    const webFetch = { privateAddresses: true, hosts: ["127.0.0.1", "*.example.com"] };
    const [tool] = builtInTools({ tools: ["web_fetch"], webFetch }, { addresses: "local", readDocument });
    const fetched = async (url: string): Promise<string> =>
      (await tool!.run({ url }, { files: files(), signal: neverAborts })).text;
    expect(tool!.definition.description).toContain("Only these hosts can be reached: 127.0.0.1, *.example.com.");
    expect(await fetched(`http://127.0.0.1:${port}/`)).toContain("inside");
    const refused = "is not a host that this agent can reach; these are: 127.0.0.1, *.example.com";
    expect(await fetched(`http://127.0.0.1:${port}/away`)).toContain(`[::1] ${refused}`);
    for (const host of ["[::1]", "localhost", "example.com", "badexample.com", "a.example.com.evil.org"]) {
      expect(await fetched(`http://${host}:${port}/`)).toContain(`${host} ${refused}`);
    }
    expect(server.requested).toEqual(["/", "/away"]);
    expect(await fetched(`http://a.example.com@127.0.0.2:${port}/`)).toContain(`127.0.0.2 ${refused}`);
  });

  it("rejects when the signal aborts", async () => {
    await using server = await site(() => {});
    await expect(fetchPage(server.url, { signal: AbortSignal.timeout(50) })).rejects.toThrow("timeout");
  });
});

describe("addresses", () => {
  it.each([
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fd00::1",
    "::ffff:8.8.8.8",
    "64:ff9b::a00:1",
    "2002:7f00:1::",
    "2001:db8::1",
    "ff02::1",
    "x",
  ])("%s is not public", (address) => expect(isPublicAddress(address)).toBe(false));

  it.each(["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"])("%s is public", (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );
});

it("fails to read a response that exceeds the limit", async () => {
  await using server = await site((_, response) => response.end("x".repeat(2_000)));
  const response = await safeFetch({ addresses: "local", responseBytes: 1_000 })(server.url);
  await expect(response.text()).rejects.toThrow("more than 1000 bytes");
});

/** The address that a request to a name at these addresses would be sent to, or why it is not sent. */
async function reachedBy(scope: AddressScope, addresses: string[]): Promise<string> {
  let reached: string | undefined;
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const fetch = safeFetch(
    { addresses: scope },
    {
      lookup: (_hostname, _options, callback) => callback(null, found),
      createConnection({ lookup }) {
        const socket = new Socket();
        lookup?.("inside.example", { all: true }, (error, all) => {
          if (!error && Array.isArray(all)) reached = all[0]?.address;
          socket.destroy(error ?? new Error("connected"));
        });
        return socket;
      },
    },
  );
  const problem = await fetch("http://inside.example/").then(String, (error: Error) => error.message);
  return reached ?? problem;
}

describe("with private networks allowed", () => {
  const fetch = safeFetch({ addresses: "private" });

  it.each([
    "127.0.0.1:9001/2018-06-01/runtime/invocation/next",
    "localhost:9001",
    "[::1]:9001",
    "[::ffff:127.0.0.1]:9001",
    "0.0.0.0:9001",
    "[::]:9001",
    "169.254.169.254",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "[fd20:ce::254]",
    "100.100.100.200",
    "168.63.129.16",
    "224.0.0.1",
    "[ff02::1]",
    "255.255.255.255",
  ])("refuses %s", async (target) => {
    await expect(fetch(`http://${target}`)).rejects.toThrow(
      /not an address of the public internet or a private network/,
    );
  });

  it.each(["10.1.2.3", "172.31.0.1", "192.168.1.1", "100.64.0.1", "fd12:3456::1"])("allows %s", (address) => {
    expect(isPrivateNetworkAddress(address)).toBe(true);
  });

  it.each([
    [["10.1.2.3"], "10.1.2.3"],
    [["fd12:3456::1", "192.168.1.1"], "fd12:3456::1"],
    [["8.8.8.8", "10.0.0.1"], "8.8.8.8"],
    [["10.1.2.3", "169.254.169.254"], "inside.example (169.254.169.254) is not"],
    [["127.0.0.1"], "inside.example (127.0.0.1) is not"],
    [[], "inside.example (no address) is not"],
  ])("with a name at %j, reaches %s", async (addresses, expected) => {
    const result = await reachedBy("private", addresses);
    expect(result).toContain(expected);
  });

  it("reaches a named address, however it is written, and no other of its range", async () => {
    const scope = { range: "private", named: ["127.0.0.1", "169.254.169.254"] } as const;
    expect(await reachedBy(scope, ["127.0.0.1"])).toBe("127.0.0.1");
    expect(await reachedBy(scope, ["169.254.169.254"])).toBe("169.254.169.254");
    const refused = "is not an address of the public internet, a private network, 127.0.0.1 or 169.254.169.254";
    for (const address of ["127.0.0.2", "169.254.169.253", "::1"]) {
      expect(await reachedBy(scope, [address])).toContain(`inside.example (${address}) ${refused}`);
    }
  });

  it("reaches this machine, but no metadata service, from an agent file of one machine", async () => {
    for (const address of ["127.0.0.1", "::1", "10.1.2.3"]) expect(await reachedBy("local", [address])).toBe(address);
    for (const address of ["169.254.169.254", "fd00:ec2::254", "fe80::1", "0.0.0.0"]) {
      expect(await reachedBy("local", [address])).toContain(`inside.example (${address}) is not an address of`);
    }
  });

  it("refuses a name that resolves to this host", async () => {
    await using server = await site((_, response) => response.end("inside"));
    await expect(fetch(`http://localhost:${server.port}/`)).rejects.toThrow(/localhost \((127\.0\.0\.1|::1)\) is not/);
    expect(server.requested).toEqual([]);
  });
});

it("fails when the server switches to another protocol", async () => {
  const sockets = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
    );
  });
  await new Promise<void>((resolve) => sockets.listen(0, "127.0.0.1", resolve));
  const { port } = sockets.address() as AddressInfo;
  const response = safeFetch({ addresses: "local" })(`http://127.0.0.1:${port}/`);
  await expect(response).rejects.toThrow("the server closed the connection without a response");
  sockets.close();
});
