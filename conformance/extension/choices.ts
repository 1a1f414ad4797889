import { asObject, type Case, expect, expectEqual } from "../expect.ts";
import { bodyOf, expectCode, ext, newRun, pageOf } from "./client.ts";

export const choiceCases: Case[] = [
  {
    name: "ext choices: a run shows the limits that its create set, at or below the agent's",
    async run(target) {
      const agent = asObject(asObject(bodyOf(await ext(target, "GET /agent"), 200)["limits"])["turn"]);
      const limits = { turn: { steps: 1 }, run: { tokens: 1_000_000 } };
      const { id } = await newRun(target, { limits });
      const run = bodyOf(await ext(target, `GET /runs/${id}`), 200);
      expectEqual(run["chosen"], { model: null, limits }, "what was chosen");
      expectEqual(asObject(asObject(run["limits"])["turn"])["steps"], 1, "the limit that applies");
      const above = { turn: { steps: Number(agent["steps"]) + 1 } };
      const refused = await ext(target, "POST /runs", { body: { name: "conformance", limits: above } });
      expectCode(refused, 422, "invalid_argument");
    },
  },
  {
    name: "ext choices: a model is one that the agent offers",
    async run(target) {
      const models = bodyOf(await ext(target, "GET /agent"), 200)["run_models"];
      if (!Array.isArray(models)) throw new Error("run_models is no list");
      for (const model of models as string[]) {
        expectEqual(asObject((await newRun(target, { model }))["chosen"])["model"], model, "the model");
      }
      const unknown = { name: "conformance", model: "no-model-of-conformance" };
      expectCode(await ext(target, "POST /runs", { body: unknown }), 422, "invalid_argument");
    },
  },
  {
    name: "ext choices: template_id is an agent of the key, and lists its runs",
    async run(target) {
      const { templateId: template_id } = target;
      const agents = bodyOf(await ext(target, "GET /agent"), 200)["key_agents"];
      expect(Array.isArray(agents) && agents.includes(template_id), "key_agents", JSON.stringify(agents));
      const run = await newRun(target, { template_id });
      expectEqual(run["template_id"], template_id, "the agent of the run");
      const { data } = pageOf(await ext(target, `GET /runs?template_id=${template_id}&limit=200`));
      expect(
        data.some(({ id }) => id === run.id),
        "the list",
        `run ${run.id} is missing`,
      );
      const other = "00000000-0000-4000-8000-000000000000";
      for (const path of ["/runs", "/agent"]) {
        expectCode(await ext(target, `GET ${path}?template_id=${other}`), 403, "template_mismatch");
      }
    },
  },
];
