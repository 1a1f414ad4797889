import { afterAll, expect, test } from "vitest";
import { RetryLater } from "../../../lambdas/workflow/advance.ts";
import { fail } from "../../../lambdas/workflow/fail.ts";
import { newRun } from "../../contract/run-fixtures.ts";
import { temporaryStores } from "../../temporary-stores.ts";

const stores = temporaryStores();
const { runs } = stores;
afterAll(() => stores[Symbol.dispose]());

async function failureFor(error: string, cause: string) {
  const run = newRun();
  await runs.create(run, []);
  await fail({ runs, now: Date.now }, { runId: run.id, turn: 1 }, { error, cause });
  return (await runs.read(run.id))?.run;
}

test.each(["model_unavailable", "internal", "model_configuration"] as const)(
  "what was waited for in vain keeps its category: %s",
  async (category) => {
    const reason = { category, title: "It is away.", remedy: "Wait.", retryable: true };
    const later = new RetryLater(reason, undefined);
    expect(await failureFor(later.name, later.message)).toMatchObject({
      status: "technical_error",
      failure: { category, title: "Given up after 40 attempts: It is away. Wait.", retryable: true },
    });
  },
);

test("any other error is internal, and its text stays in the log", async () => {
  const run = await failureFor("TypeError", "secret detail");
  expect(run).toMatchObject({ status: "technical_error", failure: { category: "internal" } });
  expect(JSON.stringify(run)).not.toContain("secret detail");
});
