import type { ModelConfiguration } from "../model.ts";

/**
 * Servers whose models see the pages of PDFs. Other servers are unknown, unless their configuration has `acceptsPdf`.
 * https://developers.openai.com/docs/guides/pdf-files
 * https://openrouter.ai/docs/features/multimodal/pdfs
 */
const hosts = {
  "openai-compatible": /(^|\.)(openai\.com|openrouter\.ai)$/,
  "openai-responses": /(^|\.)(openai\.com|openai\.azure\.com)$/,
};

/** Models of Anthropic that Bedrock shows pages if citations are on, from Claude 3.5 Sonnet of October 2024 on. */
const citingModels = /\banthropic\.claude-(3-5-sonnet-20241022|3-7-sonnet|[a-z]+-\d)/;

/** Models of Amazon that see pages. Nova Micro reads text only. */
const nova = /\bamazon\.nova-(lite|pro|premier|2-)/;

/**
 * Whether a model sees the pages of PDFs. `choice.model` replaces the configuration's. The ARN of an application inference
 * profile on Bedrock does not name its model: false.
 */
export function acceptsPdf({
  choice,
  provider: configuration,
}: {
  choice: { model?: string };
  provider?: ModelConfiguration;
}): boolean {
  if (!configuration) return false;
  switch (configuration.provider) {
    case "demo":
      return false;
    case "bedrock": {
      const model = choice.model ?? configuration.model;
      return citesPdf(model) || nova.test(model);
    }
    case "openai-compatible":
    case "openai-responses":
      return configuration.compat?.acceptsPdf ?? isOf(hosts[configuration.provider], configuration.baseUrl);
    case "anthropic":
      return /\bclaude\b/i.test(choice.model ?? configuration.model); // other servers have the Messages API, too
  }
}

/**
 * Whether Bedrock shows the pages of a PDF to the model only if citations are on. Without them, it sends the text of the pages.
 * https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
export function citesPdf(model: string): boolean {
  return citingModels.test(model);
}

function isOf(known: RegExp, baseUrl: string): boolean {
  return known.test(URL.parse(baseUrl)?.hostname ?? "");
}
