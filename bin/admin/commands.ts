import type { Schemas } from "../../src/manage/schema-types.ts";
import { printable } from "../printable.ts";
import { endingText } from "../expiring.ts";
import { agentText } from "./agents.ts";
import { record, rowsText } from "./output.ts";
import { tokenText } from "./runs/run-share.ts";
import { runTable, waitingText } from "./runs/runs.ts";
import type { TableCommand } from "./table.ts";
import { caseRow, trialsText, trialText } from "./trials/trial-output.ts";

const ofAgent = { arguments: ["agent_id"] };
const ofRun = { arguments: ["run_id"] };
const ofTrial = { arguments: ["trial_id"] };
const ofSuite = { arguments: ["agent_id", "suite"] };
const deliveryColumns = ["at", "type", "state", "attempts", "last_attempt.status", "id", "last_attempt.problem"];
const setModel = { arguments: ["organization_id", "configuration"] };
const notEnabled = {
  disabled: {
    description: "save it, but reject new runs until it is set again without --disabled",
    sets: { enabled: false },
  },
};

/** The commands that are operations of the management API, by noun and verb. Options come from the operations. */
export const commands: Record<string, TableCommand> = {
  "org create": { operation: "create_organization", createsData: true },
  "org list": {
    operation: "list_organizations",
    rows: ["id", "name", "model.provider", "model.model"],
    empty: "No organizations. Create one: org create --name NAME",
  },
  "org show": { operation: "get_organization", arguments: ["organization_id"], also: ["use", "get_organization_use"] },
  "org set-quota": {
    operation: "update_organization",
    summary: "Limit what all agents of the organization may use together; “none” removes a limit.",
    arguments: ["organization_id"],
    only: ["max_running", "max_dollars_per_day", "max_stored_bytes", "max_pending_upload_bytes"],
  },
  "org set-web-fetch": { operation: "set_web_fetch", arguments: ["organization_id"] },
  "org set-mcp-tools": {
    operation: "update_organization",
    summary: "Set whether MCP tools that are not read-only need an approval, for agents without a rule of their own.",
    arguments: ["organization_id"],
    only: ["mcp_tool_policy"],
  },
  "org set-model": {
    operation: "set_model",
    with: { configuration: "set_model_configuration" },
    ...setModel,
    except: ["enabled"],
    flags: notEnabled,
  },
  "org models": {
    operation: "get_organization",
    summary: "List the model configurations of an organization.",
    arguments: ["organization_id"],
    text: modelsText,
  },
  "org clear-model": { operation: "clear_model", with: { configuration: "remove_model_configuration" }, ...setModel },
  "agent list": {
    operation: "list_agents",
    rows: ["id", "name", "version", "status", "organization_id"],
    empty: "No agents. Create one: agent create --file agent.json",
  },
  "agent show": {
    operation: "get_agent",
    with: { version: "get_agent_version" },
    ...ofAgent,
    also: ["use", "get_agent_use"],
    text: agentText,
  },
  "agent history": {
    operation: "list_agent_versions",
    ...ofAgent,
    rows: ["version", "created_at", "hash"],
    empty: "No versions: an earlier release kept none. The next agent update makes version 1.",
  },
  "agent archive": { operation: "archive_agent", ...ofAgent, text: agentText },
  "agent unarchive": { operation: "unarchive_agent", ...ofAgent, text: agentText },
  "agent delete": {
    operation: "delete_agent",
    ...ofAgent,
    done: "Deleted agent {agent_id} and disabled its keys. Its runs stay readable.",
  },
  "trial list": { operation: "list_trials", ...ofAgent, text: trialsText },
  "trial verdict": {
    operation: "set_verdict",
    arguments: ["trial_id", "number", "verdict"],
    text: (one: Schemas["TrialCase"]) => record(caseRow(one)).text,
  },
  "trial stop": { operation: "stop_trial", ...ofTrial, text: trialText },
  "trial delete": {
    operation: "delete_trial",
    ...ofTrial,
    done: "Deleted trial {trial_id} and the runs of its attempts.",
  },
  "suite create": {
    operation: "create_suite",
    arguments: ["agent_id", "name"],
    text: ({ name }: Schemas["Suite"]) => `Created suite ${name}.`,
  },
  "suite list": {
    operation: "list_suites",
    ...ofAgent,
    rows: ["name", "cases", "created_at", "created_by"],
    empty: "The agent has no suite.",
  },
  "suite show": {
    operation: "get_suite",
    ...ofSuite,
    rows: ["id", "run_id", "turn", "redacted", "input"],
    empty: "The suite has no case.",
  },
  "suite remove": {
    operation: "remove_case",
    arguments: ["agent_id", "suite", "case_id"],
    done: "Deleted case {case_id}.",
  },
  "suite delete": { operation: "delete_suite", ...ofSuite, done: "Deleted suite {suite}." },
  "webhook set": {
    operation: "set_webhook",
    with: { endpoint_id: "set_webhook_endpoint" },
    except: ["enabled"],
    text: shownOnce("secret"),
  },
  "webhook add": { operation: "create_webhook_endpoint", except: ["enabled"], text: shownOnce("secret") },
  "webhook endpoints": {
    operation: "list_webhook_endpoints",
    rows: ["id", "enabled", "event_types", "url"],
    empty: "No further endpoints. To see the agent's URL: webhook show",
  },
  "webhook show": { operation: "get_webhook" },
  "webhook rotate-secret": {
    operation: "rotate_webhook_secret",
    with: { endpoint_id: "rotate_webhook_endpoint_secret" },
    text: shownOnce("secret"),
  },
  "webhook remove": {
    operation: "remove_webhook",
    with: { endpoint_id: "remove_webhook_endpoint" },
    done: "Removed the receiver and its secrets.",
  },
  "webhook deliveries": {
    operation: "list_deliveries",
    rows: deliveryColumns,
    empty: "No deliveries: no run with a webhook has ended.",
  },
  "webhook test": { operation: "test_webhook", with: { endpoint_id: "test_webhook_endpoint" } },
  "webhook resend": { operation: "resend_delivery", arguments: ["delivery_id"] },
  audit: {
    operation: "list_audit",
    // The session name at the end of a long ARN tells people apart, and the last column is not cut.
    rows: ["at", "action", "id", "version", "actor"],
    empty: "No actions.",
  },
  "run list": { operation: "list_runs", text: runTable },
  "run waiting": { operation: "list_waiting", text: waitingText },
  "run request": {
    operation: "get_model_request",
    ...ofRun,
    text: (request: Schemas["ModelRequest"]) => printable(JSON.stringify(request, null, 2)),
  },
  "run input": { operation: "create_input", ...ofRun },
  "run share": { operation: "create_run_token", ...ofRun, text: tokenText },
  "run delete": {
    operation: "delete_run",
    ...ofRun,
    done: "Deleted the transcript, steps and files of run {run_id}.",
  },
  "key create": { operation: "create_key", text: shownOnce("key") },
  "key list": { operation: "list_keys", text: keysText },
};

function modelsText({ model, models }: Schemas["Organization"]): string {
  const all = [...(model ? [{ name: "default", ...model }] : []), ...models];
  const columns = ["name", "provider", "enabled", "model", "base_url", "region", "secret"];
  return rowsText(all, columns, "No models. Set one: org set-model ID --provider NAME");
}

function shownOnce(what: "key" | "secret" | "token") {
  return (body: { [What in typeof what]?: string | null }): string => {
    const { [what]: value, ...others } = body;
    const { text } = record({ [what]: value, ...others });
    return value == null ? text : `${text}\n\nThe ${what} is shown only once. Save it now.`;
  };
}

function keysText({ data }: Schemas["KeyPage"], { agent_id: agent }: { agent_id?: unknown }): string {
  const several = data.some(({ more_agent_ids: more }) => more.length > 0) ? ["agent_id", "more_agent_ids"] : [];
  const columns = ["hint", "name", "enabled", "created_at", "last_used_at", "expires_at", "id", ...several];
  return withEnding("key", data, rowsText(data, columns, `No keys. Create one: key create --agent ${String(agent)}`));
}

/** Adds which of these end soon. */
export function withEnding(
  noun: string,
  credentials: Pick<Schemas["Key"], "hint" | "name" | "enabled" | "expires_at">[],
  text: string,
): string {
  const known = credentials.map(({ hint, name, enabled, expires_at: at }) => {
    return { hint, enabled, ...(name !== null && { name }), ...(at !== null && { expiresAt: Date.parse(at) }) };
  });
  const ending = endingText(noun, known);
  return ending === undefined ? text : `${text}\n\n${ending}.`;
}
