import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { done } from "../integration/admin.ts";
import {
  type Caller,
  createRun,
  finished,
  modelAt,
  newDataDir,
  type Service,
  startService,
} from "../integration/service.ts";
import { answersWithResult, callsTool, chatServer } from "../providers/chat-completions-server.ts";
import { everydayScripts } from "./programs.ts";

/** Runs everyday scripts of a scripted model over HTTP. `environments`: resolves with the folder of the environments. */
export function describeEverydayScripts(environments: () => string): void {
  describe("scripts of a model", () => {
    let service: Service;
    let agent: Caller;
    const model = chatServer(
      ...everydayScripts.flatMap(({ script }) => [callsTool("run_shell", { script, seconds: 120 }), answersWithResult]),
    );
    beforeAll(async () => {
      const variables = { AGENT_RUN_ENVIRONMENTS: environments() };
      service = await startService(
        newDataDir(),
        [...modelAt((await model).baseUrl), "--sandbox", "bubblewrap"],
        variables,
      );
      const file = join(service.dataDir, "agent.json");
      writeFileSync(file, JSON.stringify({ name: "Analyst", instructions: "Answer.", tools: ["run_shell"] }));
      const { id } = await done(service.dataDir, "agent", "create", "--file", file);
      const { key: api_key } = await done(service.dataDir, "key", "create", "--agent", id);
      agent = { baseUrl: service.baseUrl, apiKey: api_key, templateId: id };
    });
    afterAll(async () => {
      await service?.[Symbol.asyncDispose]();
      await (await model)[Symbol.asyncDispose]();
    });

    it.each(everydayScripts)("$title", async ({ prints }) => {
      const { loop_status, transcript } = await finished(agent, await createRun(agent, { input_text: "Answer." }));
      expect(loop_status).toBe("finished");
      expect(transcript.at(-1)?.text).toMatch(prints);
    });

    it("the model is told what is there", async () => {
      const described = JSON.stringify((await model).received[0]?.body["tools"]);
      for (const name of ["make 4", "rsync 3", "beautifulsoup4 4", "cryptography 5", "scikit-learn 1", "tabulate 0"]) {
        expect(described).toContain(name);
      }
    });
  });
}
