import { get } from "node:http";

/** A model that this machine could use. `options`: those of `npm start` that choose it. */
export interface FoundModel {
  /** Where it was found, such as the name of a variable. */
  where: string;
  options: string;
}

/** Models whose providers' variables are set. Their values are not read. */
export function modelsInEnvironment(environment: Record<string, string | undefined>): FoundModel[] {
  return keys.filter(({ where }) => environment[where]).map(({ where, options }) => ({ where, options }));
}

const keys = [
  {
    where: "ANTHROPIC_API_KEY",
    options: "--model anthropic --model-name claude-sonnet-4-5 --model-secret env:ANTHROPIC_API_KEY",
  },
  {
    where: "OPENAI_API_KEY",
    options:
      "--model openai-compatible --model-base-url https://api.openai.com/v1 --model-name gpt-5.1 --model-secret env:OPENAI_API_KEY",
  },
];

const ollamaPort = 11434;
const maxAnswerLength = 1_000_000;

/** Looks for a server on Ollama's port. Resolves with undefined if there is none, it has no models, or after `signal`. */
export function findOllama(signal: AbortSignal, port = ollamaPort): Promise<FoundModel | undefined> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/api/tags", signal, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > maxAnswerLength) request.destroy();
      });
      response.on("error", () => resolve(undefined));
      response.on("close", () => resolve(ollamaModel(text, port)));
    });
    request.on("error", () => resolve(undefined));
  });
}

/** https://github.com/ollama/ollama/blob/main/docs/api.md#list-local-models */
function ollamaModel(text: string, port: number): FoundModel | undefined {
  try {
    const { models } = JSON.parse(text) as { models: { name: string }[] };
    const names = models.map(({ name }) => name).filter((name) => /^[\w.:/-]{1,100}$/.test(name));
    const [first] = names;
    if (first === undefined) return undefined;
    const more = names.length > 1 ? `, ${names.length} models` : "";
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    return {
      where: `Ollama on port ${port}${more}`,
      options: `--model openai-compatible --model-base-url ${baseUrl} --model-name ${first}`,
    };
  } catch {
    return undefined; // another server
  }
}
