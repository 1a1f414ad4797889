import { expect, test } from "vitest";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { encodedConfiguration } from "../../../src/workflow/encoded-configurations.ts";
import { decodeConfiguration, encodeConfiguration } from "../../../src/runs/turn-configuration.ts";

const agent = {
  name: "Agent",
  instructions: "I",
  tools: ["list_files"],
  limits: { steps: 5, tokens: 1_000, seconds: 60 },
};
const definition = { name: "list_files", description: "Lists.", input: { type: "object" } };
/** As releases without environments stored it. */
const withoutEnvironment =
  '{"settings":{"agent":{"instructions":"I","limits":{"seconds":60,"steps":5,"tokens":1000},"name":"Agent","tools":["list_files"]},' +
  '"provider":{"enabled":true,"provider":"demo"}},"offered":[{"name":"list_files","description":"Lists.","input":{"type":"object"}}]}';

test("a turn without an environment is recorded as by earlier releases, whose records are read", () => {
  const configuration = { agent, provider: { provider: "demo", enabled: true }, offered: [definition] } as const;
  const { text, hash } = encodeConfiguration({ ...configuration, offered: [definition] });
  expect(text).toBe(withoutEnvironment);
  expect(hash).toBe("c71e5011bec1b9ed6661c5107208f737550f13c1ab326660c52934d28b7b0d6a");
  expect(decodeConfiguration(withoutEnvironment)).toEqual(configuration);
});

test("the environment is part of what a turn runs on", () => {
  const environment = { name: "linux", digest: `sha256:${"0".repeat(64)}`, engine: "docker" } as const;
  const offered = [definition];
  const { text, hash } = encodeConfiguration({ agent, environment, offered });
  expect(decodeConfiguration(text)).toEqual({ agent, environment, offered });
  const others = [{}, { environment: { ...environment, digest: `sha256:${"1".repeat(64)}` } }];
  for (const other of others) expect(encodeConfiguration({ agent, offered, ...other }).hash).not.toBe(hash);
});

test("runs on the same version are recorded with their own limits and the current hosts of the organization", () => {
  const { configurations } = fakeAwsStores();
  const recorded = (changes: object) =>
    decodeConfiguration(
      encodedConfiguration(configurations, "A", { agent: { ...agent, ...changes }, agentVersion: 1 }, []).text,
    ).agent;
  const changes = [
    {},
    { limits: { ...agent.limits, steps: 2 } },
    { webFetch: { hosts: ["a.example"] } },
    { model: "fast" },
  ];
  for (const each of [...changes, ...changes]) expect(recorded(each)).toEqual({ ...agent, ...each });
});

test("one agent is recorded with the model and the environment of each of its turns", () => {
  const { configurations } = fakeAwsStores();
  const demo = { provider: "demo", enabled: true } as const;
  const environment = { name: "linux", digest: `sha256:${"0".repeat(64)}`, engine: "docker" } as const;
  const settings = [
    { provider: demo },
    { provider: { ...demo, enabled: false } },
    { provider: demo, environment },
    { provider: demo, environment: { ...environment, engine: "podman" } as const },
    { provider: demo, environment: { ...environment, name: "data" } },
  ];
  for (const each of [...settings, ...settings.flatMap((one) => [one, one])]) {
    const { text } = encodedConfiguration(configurations, "A", { agent, agentVersion: 1, ...each }, []);
    expect(decodeConfiguration(text)).toEqual({ agent, ...each, offered: [] });
  }
});
