import { limit, parameter, repeated, runStatus } from "../../../http/rest/parameters.ts";
import { askKinds } from "../../../agent/ask-kinds.ts";
import { maxScannedRecords, maxScannedRuns, searchedDays } from "../../../runs/read/search/search-bounds.ts";
import { maxSearched } from "../../../runs/read/search/words.ts";
import { runFilters } from "../../../operations/parameters.ts";
import { operationsIn } from "./operation.ts";

const operation = operationsIn("runs");

const day = (description: string) =>
  parameter(description, { type: "string", format: "date", examples: ["2026-11-22"] });

const reportFilters = {
  since: day("The first day (UTC). Default: 30 days ago."),
  until: day("The last day (UTC). Default: today."),
  organization_id: runFilters.organization_id,
  agent_id: runFilters.agent_id,
};

export const runOperations = {
  count_runs: operation("count_runs", {
    at: "GET /runs/counts",
    summary: "Count runs",
    description:
      "How many runs have each state, model, tool, category of failure, starter and label, of the newest 1,000: each among those that pass all other conditions. And what all that match used.",
    query: { ...runFilters, status: runStatus },
    success: { description: "The counts.", body: "RunCounts" },
    errors: ["invalid_argument"],
  }),
  list_waiting: operation("list_waiting", {
    at: "GET /runs/waiting",
    summary: "List runs that wait for answers",
    description:
      "Runs with tool calls that wait for answers, soonest expiry first. At most 200. A filter of calls examines the first 1,000 runs; a run is listed with the calls that match.",
    query: {
      organization_id: runFilters.organization_id,
      agent_id: runFilters.agent_id,
      kind: repeated("Only calls that wait for this. Repeated: for one of these.", askKinds.length, {
        type: "string",
        enum: askKinds,
      }),
      answerable_by: parameter(
        "`me`: only calls that you may answer, those of organizations in which you are an operator. `operators`: only calls that no API key may answer, which are approvals unless the agent lets its keys answer them.",
        { type: "string", enum: ["me", "operators"] },
      ),
    },
    success: { description: "The runs and their calls.", body: "WaitingRunList" },
  }),
  search_texts: operation("search_texts", {
    at: "GET /runs/texts",
    summary: "Search in recorded texts",
    description: `Runs of the last ${searchedDays} days whose inputs, answers, reasoning, tool calls, tool results or errors have all words of \`q\` in one text, the newest run first. On one machine, an index of the newest 20,000 runs is searched. It is brought up to date for at most 2 seconds before the answer, and in the background after it. On AWS, up to ${maxScannedRecords} records of each of the newest ${maxScannedRuns} runs are read. Of a text, the first ${maxSearched} characters are searched. \`complete\` is false if there is more.`,
    query: {
      organization_id: runFilters.organization_id,
      agent_id: runFilters.agent_id,
      q: {
        ...parameter(
          "Words, in any case and with or without accents. Each of two characters or more can be the beginning of a word. Between quotation marks: words next to each other.",
          { type: "string", minLength: 1, maxLength: 200 },
        ),
        required: true,
      },
      limit: limit(20, 50),
    },
    success: { description: "What was found.", body: "FoundTexts" },
    errors: ["invalid_argument"],
  }),
  retry_run: operation("retry_run", {
    at: "POST /runs/{run_id}/retry",
    summary: "Retry a run after an error",
    description:
      "Lets the turn of a run with `technical_error` continue: recorded answers and results are not repeated, and its seconds begin again. Inputs that were queued are gone.",
    success: { description: "The run, which is running or waits for a slot.", body: "Run" },
    errors: [
      "run_imported",
      "run_not_failed",
      "agent_archived",
      "agent_deleted",
      "invalid_argument",
      "too_many_runs",
      "dollars_spent",
    ],
  }),
  fork_run: operation("fork_run", {
    at: "POST /runs/{run_id}/fork",
    summary: "Fork a run",
    description:
      "Creates a run of the same agent with the record and the files of this one up to a step, and continues it with what is changed. From there, the model is called and tools run live, as in any run: they can change other systems a second time. This run stays as it is. The fork has no webhook, labels or tokens, and its usage counts what it spends itself.",
    request: "ForkRunRequest",
    success: { status: 201, description: "The fork, which is running or waits for a slot.", body: "Run" },
    errors: [
      "run_ended",
      "step_not_found",
      "file_not_kept",
      "files_unknown",
      "version_not_found",
      "agent_archived",
      "agent_deleted",
      "no_model",
      "invalid_argument",
      "storage_quota_exceeded",
      "too_many_runs",
      "dollars_spent",
      "modified_concurrently",
    ],
  }),
  list_agent_activity: operation("list_agent_activity", {
    at: "GET /agents/activity",
    tag: "agents",
    summary: "List what agents did lately",
    description:
      "Runs, errors and cost of each agent in the last 24 hours, and its newest run. Reads the newest runs, whatever the number of agents: all of 24 hours, at most 5,000, and older ones up to 500 in all.",
    query: { organization_id: runFilters.organization_id },
    success: { description: "The report.", body: "AgentActivityReport" },
    errors: ["invalid_argument"],
  }),
  get_usage: operation("get_usage", {
    at: "GET /usage",
    tag: "usage",
    summary: "Usage by day",
    description:
      "What runs used, by day, agent and model. A run counts on the UTC day it was created, with the model of its last turn.",
    query: reportFilters,
    success: { description: "The report.", body: "UsageReport" },
    errors: ["invalid_argument"],
  }),
  get_failures: operation("get_failures", {
    at: "GET /failures",
    tag: "usage",
    summary: "Failed runs by reason",
    description:
      "Runs that have the status `technical_error` now, by category and text of the failure. A run counts on the UTC day it was created.",
    query: reportFilters,
    success: { description: "The report.", body: "FailureReport" },
    errors: ["invalid_argument"],
  }),
};
