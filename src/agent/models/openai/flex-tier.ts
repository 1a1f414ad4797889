import type { ModelConfiguration } from "../../model.ts";
import { parseUrl } from "../../../net/parse-url.ts";

/** Servers with the tier `flex` at a lower price, for some of their models. Groq's tier of this name has the usual price. */
export const flexServers = "OpenAI, Azure OpenAI and Amazon Bedrock";

/**
 * Hosts of OpenAI and Azure.
 * https://developers.openai.com/api/docs/guides/flex-processing
 * https://learn.microsoft.com/azure/foundry/openai/how-to/flex-processing
 */
const hosts = /(^|\.)(openai\.com|openai\.azure\.com)$/;

/** Whether a model server is known to have the tier `flex` at a lower price. It refuses requests to models without it. */
export function hasFlexTier(configuration: ModelConfiguration): boolean {
  switch (configuration.provider) {
    case "openai-compatible":
    case "openai-responses":
      return hosts.test(parseUrl(configuration.baseUrl)?.hostname ?? "");
    case "bedrock": // https://docs.aws.amazon.com/bedrock/latest/userguide/service-tiers-inference.html
      return true;
    case "anthropic":
    case "demo":
      return false;
  }
}
