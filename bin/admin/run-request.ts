import type { Command } from "commander";
import { findRun } from "../../src/runs/find-run.ts";
import { rebuildRequest } from "../../src/runs/rebuild-request.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { printable } from "./output.ts";

export function addRequestCommand(run: Command, action: Action): void {
  run
    .command("request")
    .description("Show what the model was sent in a step: instructions, messages, tools and parameters, as JSON.")
    .argument("<ID>", "run")
    .requiredOption("--at <TURN.STEP>", "turn and step, such as 1.3")
    .action(
      action(async ({ runs, configurations }, id: string, { at }: { at: string }) => {
        const [, turn, step] = /^(\d{1,5})\.(\d{1,5})$/.exec(at) ?? [];
        if (turn === undefined)
          throw new CliError(`--at is ${JSON.stringify(at)}; expected turn and step, such as 1.3`);
        const { id: runId } = (await findRun(runs, id)).run;
        const place = { turn: Number(turn), step: Number(step) };
        const rebuilt = await rebuildRequest({ runs, configurations }, runId, place);
        if ("unknown" in rebuilt) throw new CliError(rebuilt.unknown);
        const { request, configuration, hash } = rebuilt;
        const model = {
          ...configuration.provider,
          ...(configuration.agent.model && { model: configuration.agent.model }),
        };
        const json = { ...place, configuration: hash, model, ...request };
        return { text: printable(JSON.stringify(json, null, 2)), json };
      }),
    );
}
