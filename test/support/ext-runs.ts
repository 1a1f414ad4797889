import { expect, vi } from "vitest";
import type { Schemas } from "../../src/ext/call.ts";
import type { ExtService } from "./ext-service.ts";

/** Creates a run with v1, which the extension API then serves. Resolves with its id. */
export async function startRun(
  { baseUrl, apiKey, templateId }: ExtService,
  { name = "Run", ...body }: { name?: string; input_text?: string; files?: object[] },
): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/agents`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ name, template_id: templateId, ...body }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { agent_id: string }).agent_id;
}

/** Resolves with the run as soon as it has this state. */
export async function untilState(
  { call }: ExtService,
  id: string,
  state: Schemas["Run"]["state"],
): Promise<Schemas["RunDetail"]> {
  return vi.waitFor(
    async () => {
      const { body } = await call<Schemas["RunDetail"]>("GET", `/runs/${id}`);
      expect(body.state).toBe(state);
      return body;
    },
    { interval: 10, timeout: 8_000 },
  );
}
