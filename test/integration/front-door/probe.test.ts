import type { RequestListener } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { httpServer } from "../../support/http-server.ts";
import { main } from "../../../bin/probe/main.ts";
import { inProcess } from "../admin.ts";
import type { ProcessResult } from "../script.ts";
import { type Service, startService } from "../service.ts";

interface Line {
  megabytes: number;
  framing: string;
  expect: boolean;
  asContract: boolean;
  status?: number;
  respondedBy: string;
  detail: string;
  continued: boolean;
  sent: number;
}

function probe(...args: string[]): Promise<ProcessResult> {
  return inProcess(main, args);
}

async function lines(...args: string[]): Promise<{ code: number | null; lines: Line[] }> {
  const { code, stdout } = await probe(...args, "--json");
  return {
    code,
    lines: stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line),
  };
}

describe("a service that keeps the contract", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
    return () => service[Symbol.asyncDispose]();
  });

  test("with a key: all sizes, framings and expectations, as a table", async () => {
    const key = ["--api-key", service.apiKey, "--template-id", service.templateId];
    const { code, stdout, stderr } = await probe("--base-url", service.baseUrl, ...key);
    console.log(stdout);
    const [head = "", ...rows] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^MB +body +Expect +status +response from +100 +sent MB +s +contract$/);
    expect(rows.map((line) => line.split(/ +/).slice(0, 4).join(" "))).toEqual(
      [
        ["4", 201],
        ["6.1", 201],
        ["10.1", 201],
        ["14.2", 413],
        ["20", 413],
        ["60", 413],
      ].flatMap(([size, status]) =>
        ["length no", "length yes", "chunked no", "chunked yes"].map((how) => `${size} ${how} ${status}`),
      ),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("without a key: 401 shows that a body got through, and nothing is created", async () => {
    const { code, lines: found } = await lines("--base-url", `${service.baseUrl}/`, "--sizes", "6.1,14.2");
    expect(found.map(({ status, detail }) => `${status} ${detail}`)).toEqual(
      Array.from({ length: 8 }, () => "401 Invalid API key"),
    );
    // A client that waits for 100 Continue gets the 401 instead and sends no body.
    const bodies = found.map(({ sent, megabytes }) => sent > megabytes * 1_000_000);
    expect(bodies).toEqual(found.map(({ expect: expected }) => !expected));
    expect(found.some(({ continued }) => continued)).toBe(false);
    expect(code).toBe(0);
  });
});

describe("answers that are not the service's", () => {
  const cases: [string, RequestListener, Partial<Line>][] = [
    [
      "API Gateway's own, as plain text",
      (request, response) => {
        request.resume().on("end", () => {
          response
            .writeHead(413, { "apigw-requestid": "x", "content-type": "text/plain" })
            .end("Request Entity Too Large");
        });
      },
      { status: 413, respondedBy: "API Gateway", detail: "Request Entity Too Large" },
    ],
    [
      "Lambda's limit",
      (request, response) => {
        request.resume().on("end", () => response.writeHead(413).end('{"message": "Request Too Long"}'));
      },
      { status: 413, respondedBy: "Lambda's limit", detail: "Request Too Long" },
    ],
    [
      "CloudFront's",
      (request, response) => {
        request.resume().on("end", () => response.writeHead(502, { server: "CloudFront" }).end("<html>"));
      },
      { status: 502, respondedBy: "CloudFront", detail: "<html>" },
    ],
    [
      "with control characters",
      (request, response) => {
        request.resume().on("end", () => response.writeHead(502, { server: "x\u009by" }).end("\u001b[2J"));
      },
      { status: 502, respondedBy: "x\ufffdy", detail: "\ufffd[2J" },
    ],
    ["none at all", (request) => request.socket.destroy(), { respondedBy: "none" }],
    ["no response in time", () => {}, { respondedBy: "none", detail: "no response within 1 s" }],
  ];

  test.each(cases)("%s", async (_, listener, expected) => {
    await using server = await httpServer(listener);
    const { code, lines: found } = await lines("--base-url", server.url, "--sizes", "0.1", "--timeout", "1");
    expect(found).toHaveLength(4);
    for (const line of found) expect(line).toMatchObject({ asContract: false, ...expected });
    expect(code).toBe(1);
  });
});

test.each([
  [[], /--base-url is missing/],
  [["--base-url", "http://127.0.0.1:1/v1"], /--base-url/],
  [["--base-url", "http://127.0.0.1:1", "--api-key", "k"], /--template-id/],
  [["--base-url", "http://127.0.0.1:1", "--sizes", "4,x"], /--sizes/],
  [["--base-url", "http://127.0.0.1:1", "--timeout", "0"], /--timeout/],
])("wrong options %j are one line and exit code 2", async (args, message) => {
  const { code, stdout, stderr } = await probe(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^probe: [^\n]+\n$/);
  expect(stderr).toMatch(message);
});
