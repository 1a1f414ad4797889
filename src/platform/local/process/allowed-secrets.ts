import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { hostRefused, hostWithPort, mayBeSentTo, type SecretUse } from "../../../agent/secret.ts";
import { commandLine } from "../../../command-line.ts";
import { ServiceError } from "../../../errors.ts";

/** A secret that configurations may name. `hosts`: where its value may be sent to; absent: anywhere. */
export interface AllowedSecret {
  /** `env:NAME` or `file:PATH`. */
  secret: string;
  /** See `mayBeSentTo`. */
  hosts?: string[];
}

/**
 * The variables in which model providers' documentation keeps API keys. Models may use them without an entry, headers of
 * MCP servers may not.
 */
export const usualSecrets = new Set(
  [
    "ANTHROPIC_API_KEY",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AZURE_OPENAI_API_KEY",
    "CEREBRAS_API_KEY",
    "DASHSCOPE_API_KEY",
    "DEEPSEEK_API_KEY",
    "FIREWORKS_API_KEY",
    "GEMINI_API_KEY",
    "GROQ_API_KEY",
    "HF_TOKEN",
    "LITELLM_API_KEY",
    "MISTRAL_API_KEY",
    "MOONSHOT_API_KEY",
    "NVIDIA_API_KEY",
    "OLLAMA_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "TOGETHER_API_KEY",
    "VLLM_API_KEY",
    "XAI_API_KEY",
  ].map((name) => `env:${name}`),
);

/** Why a secret may not be used: a refusal (see `Secrets`), and the option of `npm start` that would allow it. */
export interface NotAllowed {
  refusal: string;
  /** Absent: it is not the location of a secret, but may be one that was pasted. */
  option?: string;
}

/** Which secrets the service may use. */
export interface SecretAllowList {
  check: (secret: string, use: Pick<SecretUse, "purpose" | "url">) => NotAllowed | undefined;
  /** The secrets that may be sent somewhere, without those that only models may use. */
  entries: string[];
}

/** The allow-list of a service. Entries of one secret are combined. An entry replaces the rule for a usual variable. */
export function secretAllowList(entries: AllowedSecret[], dataDir: string): SecretAllowList {
  const located = (secret: string): string =>
    secret.startsWith("file:") ? `file:${resolve(dataDir, secret.slice("file:".length))}` : secret;
  const rules = Map.groupBy(entries, ({ secret }) => located(secret));
  const check: SecretAllowList["check"] = (secret, { purpose, url }) => {
    if (!/^(env|file):./.test(secret)) return { refusal: "is not env:NAME or file:PATH" };
    const rule = rules.get(located(secret)) ?? (purpose === "model" && usualSecrets.has(secret) ? [{ secret }] : []);
    const shown = secret.replace(/^env:/, "");
    if (rule.length === 0) return { refusal: notAllowed, option: `--allow-secret ${shown}` };
    if (rule.some(({ hosts }) => mayBeSentTo(url, hosts))) return undefined;
    const hosts = [...rule.flatMap(({ hosts: each = [] }) => each), hostEntry(url)];
    return { refusal: hostRefused, option: `--allow-secret ${shown}=${hosts.join(",")}` };
  };
  return { check, entries: [...new Set(entries.map(({ secret }) => secret))] };
}

/** The entry that allows the host of a URL. See `mayBeSentTo`. */
export function hostEntry(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return url;
  return parsed.protocol === "https:" ? parsed.host : hostWithPort(parsed);
}

const notAllowed = `is not one that this service may use; an operator can allow it (${commandLine("start", "--allow-secret")})`;

const host = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;

/** Parses a value of `--allow-secret`: `NAME`, `env:NAME` or `file:PATH`, with `=HOST,HOST` to limit it to hosts. */
export function parseAllowedSecret(text: string): AllowedSecret {
  const [, file, variable, list] = /^(?:(file:[^=]+)|(?:env:)?([A-Za-z_]\w*))(?:=(.*))?$/.exec(text) ?? [];
  const hosts = list?.split(",");
  if ((file ?? variable) === undefined || hosts?.some((each) => !host.test(each))) {
    // The text is not repeated: it may be a key that was pasted.
    const expected = "the NAME of an environment variable or file:PATH, and =HOST,HOST to limit it to hosts";
    throw new ServiceError("invalid_argument", `--allow-secret is not valid; expected ${expected}`);
  }
  return { secret: file ?? `env:${variable}`, ...(hosts && { hosts }) };
}

const fileIn = (dataDir: string): string => join(dataDir, "allowed-secrets.json");

/** Saves the entries for operators' commands, which run in other processes. The next start of the service replaces them. */
export function saveAllowedSecrets(dataDir: string, entries: AllowedSecret[]): void {
  if (JSON.stringify(entries) === JSON.stringify(readAllowedSecrets(dataDir))) return;
  writeFileSync(fileIn(dataDir), `${JSON.stringify(entries, null, 2)}\n`, { mode: 0o600 });
}

/** The entries of the service's last start. */
export function readAllowedSecrets(dataDir: string): AllowedSecret[] {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), "utf8")) as AllowedSecret[];
  } catch {
    return []; // the service never started, or is replacing the file
  }
}
