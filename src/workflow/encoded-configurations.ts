import { offeredTools, type Tool } from "../agent/tools/tool.ts";
import type { Configurations } from "../runs/ports.ts";
import { type EncodedConfiguration, encodeConfiguration, type TurnConfiguration } from "../runs/turn-configuration.ts";

const maxKept = 100;

/** What a store's turns run on. `last`: most turns run on what the turn before ran on, and a key takes 2 µs. */
interface Kept {
  byKey: Map<string, EncodedConfiguration>;
  /** `given`: what it was encoded from. Stores never change what they have returned. */
  last?: { given: unknown[]; encoded: EncodedConfiguration };
}

/** By store, so that two services in one process share nothing. The oldest is dropped first. */
const kept = new WeakMap<Configurations, Kept>();

/**
 * Encodes what a turn runs on. The result is kept for later turns, because encoding takes a tenth of a short turn
 * (20 of 230 µs). Not kept: agents with MCP servers, whose tools can change, and agents without a version.
 */
export function encodedConfiguration(
  store: Configurations,
  agentId: string,
  {
    agent,
    agentVersion,
    provider,
    fallbackProvider,
    environment,
    mcpToolPolicy,
  }: Omit<TurnConfiguration, "offered"> & { agentVersion?: number },
  tools: Tool[],
): EncodedConfiguration {
  const encode = (): EncodedConfiguration =>
    encodeConfiguration({
      agent,
      ...(provider && { provider }),
      ...(fallbackProvider && { fallbackProvider }),
      ...(environment && { environment }),
      ...(mcpToolPolicy && { mcpToolPolicy }),
      offered: offeredTools(tools),
    });
  if (agentVersion === undefined || (agent.mcp ?? []).length > 0) return encode();
  const ofStore = kept.get(store) ?? { byKey: new Map<string, EncodedConfiguration>() };
  kept.set(store, ofStore);
  const { byKey, last } = ofStore;
  const { name, digest, engine } = environment ?? {};
  const given = [agentId, agent, agentVersion, provider, fallbackProvider, name, digest, engine];
  if (last && given.every((each, index) => each === last.given[index])) return last.encoded;
  const key = `${agentId} ${agentVersion} ${JSON.stringify([provider, fallbackProvider, environment, variable(agent)])}`;
  const encoded = byKey.get(key) ?? encode();
  ofStore.last = { given, encoded };
  byKey.set(key, encoded);
  const [oldest = ""] = byKey.keys();
  if (byKey.size > maxKept) byKey.delete(oldest);
  return encoded;
}

/** What differs between runs on the same version: what they chose, their schema, and the hosts of the organization. */
function variable({
  model,
  parameters,
  prices,
  contextTokens,
  fallback,
  limits,
  runLimits,
  result,
  webFetch,
}: TurnConfiguration["agent"]): unknown[] {
  return [model, parameters, prices, contextTokens, fallback, limits, runLimits, result, webFetch];
}
