import type { Command } from "commander";
import { findRun } from "../../src/runs/read/find-run.ts";
import { rebuildRequest } from "../../src/runs/read/rebuild-request.ts";
import { CliError } from "../cli.ts";
import { printable } from "../printable.ts";
import type { Action } from "./action.ts";
import { turnStepOf } from "./option-values.ts";

export function addRequestCommand(run: Command, action: Action): void {
  run
    .command("request")
    .description("Show what the model was sent in a step: instructions, messages, tools and parameters, as JSON.")
    .argument("<ID>", "run")
    .requiredOption("--at <TURN.STEP>", "turn and step, such as 1.3")
    .action(
      action(async ({ runs, configurations }, id: string, { at }: { at: string }) => {
        const place = turnStepOf("--at", at);
        const { id: runId } = (await findRun(runs, id)).run;
        const rebuilt = await rebuildRequest({ runs, configurations }, runId, place);
        if ("unknown" in rebuilt) throw new CliError(rebuilt.unknown);
        const { request, configuration, asked, hash } = rebuilt;
        const model = {
          ...asked.provider,
          ...(asked.choice.model && { model: asked.choice.model }),
        };
        const { environment } = configuration;
        const json = { ...place, configuration: hash, model, environment, ...request };
        return { text: printable(JSON.stringify(json, null, 2)), json };
      }),
    );
}
