import type { RequestListener } from "node:http";
import { expect, test } from "vitest";
import { createBody, type Outcome, respondentOf } from "../../../bin/deploy/respondent.ts";
import { httpServer } from "../../support/http-server.ts";

const cases: [string, RequestListener, Partial<Outcome>][] = [
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
  ["no response in time", () => {}, { respondedBy: "none", detail: "no response within 0.2 s" }],
];

test.each(cases)("names who responded: %s", async (_, listener, expected) => {
  await using server = await httpServer(listener);
  const body = createBody(100_000, crypto.randomUUID());
  const create = { method: "POST", url: new URL(server.url), headers: {}, body, timeoutSeconds: 0.2 } as const;
  expect(await respondentOf(create)).toMatchObject(expected);
});
