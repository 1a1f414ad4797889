import { json } from "node:stream/consumers";
import { answersWithResult, callsTool, chunk, streams } from "../../providers/chat-completions-server.ts";
import type { Received } from "../../providers/model-server.ts";
import { httpServer } from "../../support/http-server.ts";

const answers = streams(chunk({ role: "assistant", content: "South." }), chunk({}, { finish_reason: "stop" }));

/** A model for any number of runs. It finds an order, writes the file that an input asks for (“… as totals.csv”), submits a result, or answers. */
export async function pageModel() {
  const server = await httpServer((request, response) => {
    void json(request).then((parsed) => {
      const body = parsed as Received["body"];
      const last = body.messages.at(-1) as { role: string; content: string };
      const [, name] = /\bas ([\w-]+\.\w+)/.exec(JSON.stringify(last.content)) ?? [];
      const { method, url, headers } = request;
      const received = { port: undefined, method, url, headers, text: JSON.stringify(body), body };
      const hasTool = (tool: string): boolean => JSON.stringify(body["tools"] ?? []).includes(`"${tool}"`);
      const [, state] = /"order":4711,"state":"(\w+)"/.exec(last.content) ?? [];
      const result = hasTool("find_order") ? { order: 4711, state } : { region: "south", units: 12 };
      const reply =
        hasTool("find_order") && last.role !== "tool"
          ? callsTool("find_order", { order: 4711 })
          : hasTool("submit_result")
            ? callsTool("submit_result", result)
            : last.role === "tool"
              ? answersWithResult
              : name
                ? callsTool("write_file", { name, content: "south,12\n" })
                : answers;
      return reply(response, received);
    });
  });
  return { baseUrl: `${server.url}/v1`, [Symbol.asyncDispose]: server.close };
}
