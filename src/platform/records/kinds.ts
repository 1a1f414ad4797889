import { agents, audit, keys, operators, organizations, versions } from "./accounts.ts";
import type { Kind } from "./port.ts";
import { cases, trials } from "./trials.ts";
import { webhooks } from "./webhooks.ts";

const kinds: Kind<object>[] = [organizations, agents, versions, keys, operators, audit, webhooks, trials, cases];

/** Their rows are read for each request and change rarely: reading and parsing them took a tenth of a poll. */
export const keptTables = kinds.filter(({ row }) => row.kept).map(({ row }) => row.table);
