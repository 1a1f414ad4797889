import { sha256Of } from "../../src/agent/turn/files/manifest.ts";
import { type BundleContent, bundleOf, replaced, withEvents, withRun } from "./bundles.ts";
import type { Hostile, HostileTable } from "./hostile-archives.ts";

function run(change: Parameters<typeof withRun>[1]): Hostile {
  return ({ files }) => bundleOf(withRun(files, change));
}

function events(change: Parameters<typeof withEvents>[1]): Hostile {
  return ({ files }) => bundleOf(withEvents(files, change));
}

function text(name: RegExp, change: (text: string) => string): Hostile {
  return ({ files }) => bundleOf(replaced(files, name, change));
}

/** Replaces fields of the results of calls. */
function results(changes: object): Hostile {
  return events((all) => all.map((event) => (event["part"] === "result" ? { ...event, ...changes } : event)));
}

/** The bundle with other settings of its turns. */
export function withSettings(files: BundleContent[], change: (settings: object) => object): Promise<Buffer> {
  const { name = "", content = Buffer.alloc(0) } = files.find((file) => configuration.test(file.name)) ?? {};
  const value = JSON.parse(Buffer.from(content).toString()) as { settings: object };
  const changed = Buffer.from(JSON.stringify({ ...value, settings: change(value.settings) }));
  const [before, after] = [name.slice(15, -5), sha256Of(changed)];
  const renamed = files.map((file) =>
    file.name === name ? { name: `configurations/${after}.json`, content: changed } : file,
  );
  return bundleOf(replaced(renamed, /^events/, (lines) => lines.replaceAll(before, after)));
}

const configuration = /^configurations/;
const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;

/** An input, and more entries than a turn can have. */
const endless = [
  { at: 1, role: "input_to_agent", sequence: 1, text: "", turn: 1 },
  ...Array.from({ length: 20_001 }, (_, index) => {
    const place = { at: 1, sequence: index + 2, step: 1, turn: 1 };
    return { ...place, instance: "x", part: "resumed", reason: "restart" };
  }),
];

/** A schema in the place of what a turn ran on. */
const schemaAsSettings: Hostile = async ({ files }) => {
  const schema = Buffer.from("{}");
  const { name = "" } = files.find((file) => configuration.test(file.name)) ?? {};
  const [before, after] = [name.slice(15, -5), sha256Of(schema)];
  const other = files.map((file) =>
    file.name === name ? { name: `configurations/${after}.json`, content: schema } : file,
  );
  const named = replaced(other, /^events/, (lines) => lines.replaceAll(before, after));
  return bundleOf(withRun(named, (all) => ({ ...all, run: { ...all.run, resultSchema: after } })));
};

/** Records that no run can have, in archives that are as exports write them. */
export const hostileRecords: HostileTable = {
  "has a schema in place of what a turn ran on": [schemaAsSettings, "must have required property"],
  "has a run with spaces": [text(/^run.json$/, (json) => json.replace("{", "{ ")), "is not written as an export"],
  "has a run with a key twice": [
    text(/^run.json$/, (json) => json.replace(',"runId":', ',"runId":"","runId":')),
    "is not written as an export",
  ],
  "has a run with a key of all objects": [
    text(/^run.json$/, (json) => json.replace("{", '{"__proto__":{"x":1},')),
    "must NOT have additional properties",
  ],
  "has a run with an owner": [
    run((all) => ({ ...all, run: { ...all.run, agentId: all.runId } })),
    "additional properties",
  ],
  "has a run with a token": [run((all) => ({ ...all, run: { ...all.run, tokens: [] } })), "additional properties"],
  "has a run in progress": [run((all) => ({ ...all, run: { ...all.run, status: "running" } })), "/run/status"],
  "has a run with an id that is a path": [run((all) => ({ ...all, runId: "../../x" })), "/runId must match pattern"],
  "has a run with a huge label": [
    run((all) => ({ ...all, run: { ...all.run, labels: { a: "x".repeat(201) } } })),
    "must NOT have more than 200 characters",
  ],
  "has a run with a huge list of tools": [
    run((all) => ({ ...all, run: { ...all.run, tools: Array.from({ length: 20_000 }, (_, at) => `tool${at}`) } })),
    "more than 64000 bytes",
  ],
  "has a run with a million events": [
    run((all) => ({ ...all, run: { ...all.run, sequence: 1_000_000 } })),
    "it has 1000000 events; at most 200000 are accepted",
  ],
  "has a million events": [
    text(/^events/, () => '{"at":1,"role":"input_to_agent","sequence":1,"text":"","turn":1}\n'.repeat(60_000)),
    "event 2 has the number 1; expected no gap",
  ],
  "has events without end": [
    ({ files }) =>
      bundleOf(
        withRun(
          withEvents(files, () => endless),
          (all) => ({ ...all, run: { ...all.run, sequence: endless.length } }),
        ),
      ),
    "is one of more than 20000 of a turn",
  ],
  "has fewer events than its run": [events((all) => all.slice(0, -1)), "and its run"],
  "has a gap in its events": [events((all) => all.toSpliced(2, 1)), "expected no gap"],
  "has an event with a huge number": [
    events((all) => all.with(1, Object.assign({}, all[1], { sequence: 2 ** 60 }))),
    "/sequence must be <=",
  ],
  "has a number that is infinite": [
    text(/^events/, (lines) => lines.replace(/"milliseconds":[\d.]+/, '"milliseconds":1e999')),
    "/milliseconds must be number",
  ],
  "has an event of a kind that is unknown": [
    events((all) => all.with(1, Object.assign({}, all[1], { part: "constructor" }))),
    "has an entry that this release does not know",
  ],
  "has an event with the hash of somebody's key": [
    events((all) => all.with(0, Object.assign({}, all[0], { startedBy: { kind: "key", id: "x" } }))),
    "additional properties",
  ],
  "has a system message that only models see": [
    text(/^events/, (lines) => lines.replace('"role":"assistant"', '"role":"system"')),
    "/answer/echo/messages/0/role must be equal to one of the allowed values",
  ],
  "has an event that is nested too deep": [
    text(/^events/, (lines) => lines.replace(/"input":\{[^}]*\}/, `"input":${deep}`)),
    "nested deeper than 100 levels",
  ],
  "has a call with the text of other arguments": [
    text(/^events/, (lines) => lines.replace(String.raw`\"offset\":1,`, String.raw`\"offset\":2,`)),
    "the text of other arguments",
  ],
  "has a call whose text is nested too deep": [
    text(/^events/, (lines) => lines.replace(/"json":"[^}]*\}"/, `"json":"${deep}"`)),
    "nested deeper",
  ],
  "has a line that is no event": [text(/^events/, (lines) => `null\n${lines}`), "line 1: the value must be object"],
  "has no line at the end": [text(/^events/, (lines) => lines.trimEnd()), "does not end with a line"],
  "has an output before an input": [
    events((all) => [Object.assign({}, all.at(-1), { sequence: 1 }), ...all.slice(1)]),
    "is an output of a turn that has none",
  ],
  "has a turn before the end of another": [
    events((all) => all.with(1, { at: 1, role: "input_to_agent", sequence: 2, text: "", turn: 2 })),
    "begins a turn before the end of another",
  ],
  "has a result of a call that was not made": [
    results({ call: 4_000_000_000 }),
    "is of a call that the last answer does not have",
  ],
  "has a file name out of the workspace": [
    text(/^events/, (lines) => lines.replaceAll('"name":"a/b.txt"', '"name":"../../b.txt"')),
    "the name of a file is wrong",
  ],
  "has an upload with a name out of the workspace": [
    run((all) => ({ ...all, uploads: [{ name: "/etc/passwd", size: 0 }] })),
    "the name of a file is wrong",
  ],
  "has a file that is smaller than it says": [
    run((all) => ({ ...all, uploads: all.uploads?.map((file) => Object.assign({}, file, { size: 1 })) })),
    "has 1 bytes, and its content 4",
  ],
  "counts bytes of files that it does not have": [results({ fileBytes: -1e12 }), "bytes of files, and the files have"],
  "has other files than its events": [
    run((all) => ({ ...all, files: [] })),
    "the files of its run are not those of its events",
  ],
  "has an agent that is none": [
    ({ files }) => withSettings(files, (settings) => ({ ...settings, agent: { name: 1 } })),
    "is not valid",
  ],
  "has a model with a key in place of its location": [
    ({ files }) =>
      withSettings(files, (settings) => ({
        ...settings,
        provider: { provider: "anthropic", enabled: true, model: "m", secret: "sk-pasted" },
      })),
    "secret must not be the key itself",
  ],
  "has a model of an unknown provider": [
    ({ files }) => withSettings(files, (settings) => ({ ...settings, provider: { provider: "evil", enabled: true } })),
    "/settings/provider/provider",
  ],
  "has a configuration that is not JSON": [text(configuration, () => "x"), "a content is named"],
};
