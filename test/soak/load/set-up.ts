import type { Schemas } from "../../../src/manage/schema-types.ts";
import { chatServer, scripted, slowly } from "../../providers/chat-completions-server.ts";
import { settled } from "./runs.ts";
import type { KilledService } from "./killed-service.ts";

export const definition = {
  name: "Works",
  instructions: "Work.",
  tools: ["write_file"],
  clientTools: [{ name: "find_order", description: "Finds an order.", input: { type: "object" } }],
  allowDelete: true,
};

/** Asks the caller's program when the input says so, otherwise writes the input to a file. Answers with what it was told. */
export const model = () =>
  chatServer(
    ...Array.from({ length: 100_000 }, () =>
      slowly(
        scripted(({ input, results }) => {
          const said = results.at(-1);
          if (input.startsWith("ask")) return said === undefined ? { calls: [["find_order", {}]] } : { text: said };
          return said === undefined
            ? { calls: [["write_file", { name: "note.txt", content: input }]] }
            : { text: `Did ${input}` };
        }),
      ),
    ),
  );

/** Creates an agent with a key, which becomes the key of the service's callers. */
export async function addAgent(service: KilledService): Promise<string> {
  const { templateId } = await service.current;
  const { organization_id } = (await service.send<Schemas["Agent"]>("GET", `/manage/v1/agents/${templateId}`)).body;
  const body = { organization_id, definition };
  const agent = (await service.send<Schemas["Agent"]>("POST", "/manage/v1/agents", { body })).body;
  const key = await service.send<Schemas["CreatedKey"]>("POST", `/manage/v1/agents/${agent.id}/keys`, { body: {} });
  service.apiKey = key.body.key;
  return agent.id;
}

/** Runs that have ended, of an agent of their own. */
export async function endedRuns(service: KilledService, count: number): Promise<{ agentId: string; runs: string[] }> {
  const { apiKey } = service;
  const agentId = await addAgent(service);
  const runs: string[] = [];
  for (let number = 0; number < count; number++) {
    const body = { name: `ended-${number}`, input_text: `Write ${number}.` };
    const { id } = (await service.send<{ id: string }>("POST", "/ext/v1/runs", { body })).body;
    await settled(service, id);
    runs.push(id);
  }
  service.apiKey = apiKey;
  return { agentId, runs };
}
