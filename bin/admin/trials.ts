import type { Command } from "commander";
import { findAgent } from "../../src/accounts/agents.ts";
import { deleteTrial, judgeCase, stopTrial } from "../../src/trials/control-trial.ts";
import { findCase, findTrial } from "../../src/trials/find-trial.ts";
import { type Verdict, verdicts } from "../../src/trials/names.ts";
import { readCase } from "../../src/trials/read-case.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { maxListed, wholeNumber } from "./option-values.ts";
import { caseOutput, trialList, trialOutput } from "./trial-output.ts";

/** Commands for trials that exist. `agent try` creates them. */
export function addTrialCommands(program: Command, action: Action): void {
  const trial = program.command("trial").description("Read, judge, stop and delete trials of agent changes.");
  trial
    .command("list")
    .description("List the trials of an agent, newest first.")
    .argument("<AGENT>", "agent")
    .option("--limit <N>", `number of trials, at most ${maxListed}`, "20")
    .action(
      action(async ({ accounts, trials }, agent: string, { limit }: { limit: string }) => {
        const { id: agentId } = await findAgent(accounts, agent);
        const page = await trials.list({ agentId, limit: wholeNumber("--limit", limit, maxListed) });
        const listed = page.trials.map(async (each) => ({ trial: each, cases: await trials.listCases(each.id) }));
        return trialList(await Promise.all(listed));
      }),
    );
  trial
    .command("show")
    .description("Show the results and cases of a trial, or one case with both turns.")
    .argument("<ID>", "trial")
    .option("--case <N>", "only this case: its texts, and its calls as a diff")
    .action(
      action(async (stores, id: string, { case: number }: { case?: string }) => {
        const found = await findTrial(stores.trials, id);
        if (number === undefined) return trialOutput(found, await stores.trials.listCases(found.id));
        const one = await findCase(stores.trials, found.id, wholeNumber("--case", number));
        return caseOutput(found, one, await readCase(stores, found, one));
      }),
    );
  trial
    .command("verdict")
    .description("Set your verdict on a case, in place of the computed one.")
    .argument("<ID>", "trial")
    .argument("<CASE>", "number of the case")
    .argument("<VERDICT>", `${verdicts.join(", ")}; or none, which removes yours`)
    .action(
      action(async (platform, id: string, number: string, word: string) => {
        const deps = { ...platform, now: Date.now, actor: await platform.actor() };
        const place = { trialId: id, number: wholeNumber("CASE", number) };
        const judged = await judgeCase(deps, place, verdictIn(word));
        const found = await findTrial(platform.trials, id);
        return caseOutput(found, judged, await readCase(platform, found, judged));
      }),
    );
  trial
    .command("stop")
    .description("Stop a trial: no further case starts, and those in progress are stopped.")
    .argument("<ID>", "trial")
    .action(
      action(async (platform, id: string) => {
        const stopped = await stopTrial({ ...platform, now: Date.now, actor: await platform.actor() }, id);
        return trialOutput(stopped, await platform.trials.listCases(stopped.id));
      }),
    );
  trial
    .command("delete")
    .description("Delete a trial with the runs of its attempts. The recorded runs stay.")
    .argument("<ID>", "trial")
    .action(
      action(async (platform, id: string) => {
        const { id: deleted } = await findTrial(platform.trials, id);
        await deleteTrial({ ...platform, now: Date.now, actor: await platform.actor() }, deleted);
        return { text: `Deleted trial ${deleted} and the runs of its attempts.`, json: { id: deleted } };
      }),
    );
}

/** Undefined: none. */
function verdictIn(word: string): Verdict | undefined {
  const known = verdicts.find((verdict) => verdict === word);
  if (known || word === "none") return known;
  throw new CliError(`VERDICT is ${JSON.stringify(word)}; expected ${verdicts.join(", ")} or none`);
}
