/*
 * Limits of accounts that the contracts show. The page infers its types from the contracts: this file imports nothing.
 */

/** Organizations that an operator can be limited to, at most. DynamoDB compares a value with at most 100. */
export const maxOrganizations = 50;

/** Characters of the URL of a webhook, of an agent or of a run. */
export const maxWebhookUrl = 2_048;

/** Events of runs that webhooks report. */
export const eventTypes = ["run.finished", "run.waiting", "run.failed", "run.terminated"] as const;
export type EventType = (typeof eventTypes)[number];

/** Further endpoints of an agent's webhook: each is one more message for each event. */
export const maxEndpoints = 10;

/** Id of a further endpoint of a webhook. */
export const endpointIdPattern = "^ep_[0-9a-f]{12}$";

/** How long a rotated secret still signs messages, in hours: by default, and at most. */
export const overlapHours = { default: 24, max: 168 };

/** Secrets that sign a message, the newest included: receivers refuse headers of many kilobytes. */
export const maxSecrets = 5;

/** Hosts in a list of those that `web_fetch` can reach. */
export const maxHosts = 100;

/** A host that `web_fetch` can reach. `*.` and a host: all below it. */
export const hostPattern = String.raw`^(\*\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`;

/** Models that runs of an agent can choose from. */
export const maxRunModels = 20;

/** Name of a further model configuration of an organization. */
export const configurationName = "^[a-z][a-z0-9-]{0,39}$";

/** Seconds that a tool call waits for an answer: at least, at most, and by default. */
export const answerSeconds = { least: 60, most: 30 * 86_400, default: 86_400 };

/** Tools of an agent that its callers' programs run, and rules about its tools, at most. */
export const [maxClientTools, maxToolRules] = [50, 200];
