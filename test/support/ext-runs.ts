import { expect, vi } from "vitest";
import type { Schemas } from "../../src/ext/call.ts";
import type { ExtService } from "./ext-service.ts";

/** Creates a run of the starter agent. Resolves with its id. */
export async function startRun({ call }: ExtService, body: object): Promise<string> {
  const created = await call<Schemas["Run"]>("POST", "/runs", { body: { name: "Run", ...body } });
  expect(created.status).toBe(201);
  return created.body.id;
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
    { interval: 10, timeout: 25_000 },
  );
}
