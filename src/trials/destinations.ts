import type { ModelConfiguration } from "../agent/model.ts";
import { modelUrl } from "../agent/models/model-config.ts";
import type { InspectedTurn } from "./cases/inspect-turn.ts";
import type { TriedName, Destination, Trial, TriedConfiguration } from "./trial-types.ts";

/**
 * Where a trial sends texts and files of recorded runs, or connects to. A destination is `new` if not all recorded turns have used it.
 */
export function destinationsOf(
  { candidate, judge, settings: { outside } }: Pick<Trial, TriedName | "judge" | "settings">,
  turns: InspectedTurn[],
): Destination[] {
  const tried = turns.filter(({ cannotBeTried }) => cannotBeTried === undefined);
  const files = tried.reduce((sum, each) => sum + each.files.length, 0);
  const isNew = (host: string): boolean =>
    tried.some(({ configuration }) => modelHost(configuration?.provider) !== host);
  const models = modelHosts(candidate).map((host): Destination => ({
    host,
    for: "model",
    inputs: tried.length,
    files,
    new: isNew(host),
  }));
  const judges = (judge ? modelHosts(judge) : []).map((host): Destination => ({
    host,
    for: "judge",
    inputs: tried.length,
    files: 0,
    new: isNew(host),
  }));
  const servers = (candidate.definition.mcp ?? []).filter(
    ({ name, url }) =>
      !tried.every(({ run, configuration }) => !run.imported && hasServer(configuration?.agent.mcp, name, url)),
  );
  const listed = servers.map(({ url }): Destination => ({
    host: hostOf(url),
    for: "mcp_list",
    inputs: 0,
    files: 0,
    new: true,
  }));
  const live = Object.entries(outside.tools ?? {}).flatMap(([tool, rule]): Destination[] =>
    rule === "live"
      ? [{ host: liveHost(tool, candidate), for: "live_calls", inputs: tried.length, files: 0, new: false }]
      : [],
  );
  return [...models, ...judges, ...listed, ...live];
}

const noHost = "none";

/** Those of a configuration and its fallback. */
function modelHosts({ provider, fallbackProvider }: TriedConfiguration): string[] {
  const hosts = new Set([modelHost(provider), modelHost(fallbackProvider)]);
  hosts.delete(noHost);
  return [...hosts];
}

/** The host of a model's API. The demo model has none: it runs in this service. */
export function modelHost(provider: ModelConfiguration | undefined): string {
  if (!provider || provider.provider === "demo") return noHost;
  if (provider.provider === "bedrock" && provider.baseUrl === undefined) {
    return `bedrock-runtime.${provider.region}.amazonaws.com`;
  }
  return hostOf(modelUrl(provider));
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

function hasServer(servers: { name: string; url: string }[] = [], name: string, url: string): boolean {
  return servers.some((server) => server.name === name && server.url === url);
}

/** `web_fetch` reaches the hosts that the agent allows. */
function liveHost(tool: string, { definition }: Trial["candidate"]): string {
  if (tool === "web_fetch") return definition.webFetch?.hosts?.join(", ") || "any";
  const server = definition.mcp?.find(({ name }) => tool.startsWith(`${name}__`));
  return server ? hostOf(server.url) : tool;
}
