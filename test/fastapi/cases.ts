import { writeFileSync } from "node:fs";

// One table of data, and so as long as it has rows.

/** One request: a create body as text or as bytes, or a run id as it stands in the URL. */
export type Case = { id: string; contentType?: string | null } & (
  | { body: string }
  | { base64: string }
  | { path: string }
);

const uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
const valid = {
  name: "Weekly report",
  template_id: uuid,
  input_text: "Hello",
  files: [{ filename: "a", content_base64: "QQ==" }],
};

// Every kind of JSON value, with strings on both sides of every limit.
const values = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e21,
  "",
  " ",
  "a",
  "\u0000",
  "😀",
  [],
  [1],
  [[]],
  {},
  { a: 1 },
  uuid,
  uuid.toUpperCase(),
  "\ud800",
  "\udfff\ud800",
  "é\ud83d",
  "a".repeat(199),
  "a".repeat(200),
  "a".repeat(201),
  "é".repeat(200),
  "é".repeat(201),
  "😀".repeat(100),
  "😀".repeat(101),
  "😀".repeat(200),
  "😀".repeat(201),
  "a".repeat(255),
  "a".repeat(256),
  "😀".repeat(255),
  "😀".repeat(256),
  "a".repeat(998),
  "a".repeat(999),
  "\n".repeat(499),
  "\n".repeat(500),
  "😀".repeat(998),
  "😀".repeat(999),
  "a".repeat(5_000),
  ["a".repeat(996)],
  ["a".repeat(997)],
  { a: { b: [1, "x".repeat(980)] } },
  Array.from({ length: 400 }, () => 1),
  Array.from({ length: 600 }, () => 1),
  JSON.parse("[".repeat(300) + "]".repeat(300)),
] as unknown[];

const fields: Case[] = [
  ...["name", "template_id", "input_text", "files"]
    .flatMap((field) => values.map((value) => ({ field, value })))
    .filter(
      // Those stand below, among the answers that differ.
      ({ field, value }) => field !== "input_text" || typeof value !== "string" || value.isWellFormed(),
    ),
  ...["unknown", "__proto__", "constructor", "toString"].flatMap((field) =>
    [null, 1, { name: 1 }].map((value) => ({ field, value })),
  ),
].map(({ field, value }, index) => body(`field-${field}-${index}`, withField(valid, field, value)));
const fileFields: Case[] = ["filename", "content_base64", "__proto__"].flatMap((field) =>
  values.map((value, index) =>
    body(`file-${field}-${index}`, {
      ...valid,
      files: [valid.files[0], withField(valid.files[0] ?? {}, field, value)],
    }),
  ),
);
const items: Case[] = values.map((value, index) => body(`item-${index}`, { ...valid, files: [value, value] }));
const roots: Case[] = values.map((value, index) => body(`root-${index}`, value));

const combinations: Case[] = Array.from({ length: 64 }, (_, bits) => {
  const broken: Record<string, unknown> = {};
  // Not in the order of the fields: the issues of the response are.
  if (bits & 1)
    broken["files"] = bits & 2 ? null : [{}, 3, { filename: "" }, { content_base64: "", filename: "a".repeat(256) }];
  if (bits & 4) broken["input_text"] = bits & 2 ? 3 : null;
  if (bits & 8) broken["template_id"] = bits & 16 ? 3 : "zz";
  if (bits & 32) broken["name"] = bits & 16 ? "" : "a".repeat(201);
  return body(`combination-${bits}`, broken);
});

const lists: Case[] = [9, 10, 11, 12, 100].flatMap((length) =>
  [valid.files[0], {}, null, { filename: "", content_base64: 3 }].map((item, index) =>
    body(`list-${length}-${index}`, { ...valid, files: Array.from({ length }, () => item) }),
  ),
);
const listsBesides: Case[] = [11, 12].map((length) =>
  body(`list-${length}-besides`, { files: Array.from({ length }, () => ({ filename: "" })), name: 3 }),
);

const digits = uuid.replaceAll("-", "");
const wrong = [
  "",
  "-",
  "--",
  "z",
  "é",
  "😀",
  "{",
  "}",
  " ",
  "\n",
  "\u0000",
  "f",
  "-f",
  "g-",
  "\u0130",
  "\u012d",
  "\u{1f62d}",
  "\u{1f630}",
];
const uuids = [
  uuid,
  uuid.toUpperCase(),
  digits,
  `{${uuid}}`,
  `urn:uuid:${uuid}`,
  `URN:UUID:${uuid}`,
  `urn:UUID:${uuid}`,
  `{${digits}}`,
  `urn:uuid:${digits}`,
  `urn:uuid:{${uuid}}`,
  `{urn:uuid:${uuid}}`,
  `{{${uuid}}}`,
  `{${uuid}`,
  `${uuid}}`,
  "urn:uuid:",
  "{}",
  ...wrong.flatMap((part) =>
    [0, 7, 8, 9, 13, 18, 23, 30, 36].map((at) => uuid.slice(0, at) + part + uuid.slice(at + 1)),
  ),
  ...wrong.flatMap((part) =>
    [0, 4, 9, 20, 35].flatMap((at) => [
      `{${uuid.slice(0, at)}${part}${uuid.slice(at)}}`,
      `urn:uuid:${uuid.slice(0, at)}${part}${uuid.slice(at + 8)}`,
    ]),
  ),
  "{6ba7zb8109dad11d1800-fffafaa-b400c04fd430c8}",
  "urn:uuid:6ba7b8109dad400c04fd430c8😀",
  "urn:uuid:6ba7b😀z11d180b400c04d430c8",
  "{6ba7b8109dad11d180éb400c04fd430c8}",
  "{6b-a7b8109dad11d180b400cé04fd430c8}",
  "{6ba7b8109{-f0f-d11d180b400c04fd430c8}",
  ...wrong.map((part) => uuid + part),
  ...wrong.map((part) => `urn:uuid:${uuid.slice(0, -1)}${part}`),
  ...[0, 1, 26, 27, 31, 32, 33, 34, 35, 36, 37, 38, 43, 44, 45, 46, 60].flatMap((length) =>
    ["", "{", "urn:uuid:"].flatMap((before) =>
      [digits + digits, uuid + digits].map((all) => before + all.slice(0, length) + (before === "{" ? "}" : "")),
    ),
  ),
  ...[22, 23, 45, 46].map((length) => "é".repeat(length)),
  "a".repeat(2_000),
  "K".repeat(36),
  "ſ".repeat(32),
];
const templateIds: Case[] = [...new Set(uuids)].map((template_id, index) =>
  body(`uuid-${index}`, { ...valid, template_id }),
);
const paths: Case[] = [...new Set(uuids)].flatMap((runId, index) =>
  runId === "" ? [] : [{ id: `path-${index}`, path: encodeURIComponent(runId) }],
);

// Each fault alone, then inside objects and lists, behind characters of one to four bytes, and with spaces around.
const faults = [
  "",
  " ",
  "\n\t ",
  "{",
  "[",
  "]",
  "}",
  "{]",
  "[}",
  "[1,",
  "[1,]",
  "[1 2]",
  "[1;2]",
  "[,1]",
  "[1,,2]",
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  '{"a":1,}',
  '{"a":1,,"b":2}',
  "{,}",
  "{1:2}",
  "{a:1}",
  "{'a':1}",
  "{null:1}",
  '{"a" 1}',
  '{"a"=1}',
  '{"a":}',
  '{"a":1 "b":2}',
  '{"a":1}}',
  '{"a":1}]',
  "[]]",
  "{} {}",
  "1 2",
  "null,",
  "nul",
  "nulll",
  "True",
  "None",
  "tru",
  "truefalse",
  "undefined",
  "-",
  "+1",
  "01",
  "-01",
  "1.",
  ".5",
  "-.5",
  "1.e5",
  "1e",
  "1e+",
  "1E-",
  "1ee5",
  "0x10",
  "1_000",
  "--1",
  "1.5.2",
  "'a'",
  '"',
  '"a',
  '"\\',
  '"a\\"',
  '"\\x"',
  '"\\u"',
  '"\\u1"',
  '"\\u12G4"',
  '"\\u123"',
  '"\\u1234',
  '"\\u1234"x',
  '"\\ud83d\\u12"',
  '"\\ud83d\\u',
  '"\\ud83d\\ude00',
  '"\\ud83d\\x"',
  '"\\U0041"',
  '"\\\'"',
  '"a\nb"',
  '"a\tb"',
  '"\u0000"',
  '"\u001f"',
  '"\u007f',
  '"é',
  '"😀',
  '"😀\\',
  '"\\u😀😀"',
  '"\\u12😀"',
  "\u00a0{}",
  "{}\u00a0",
  "\u2028",
  "\ufeff",
  "//",
  "/**/{}",
  "{}//",
  "# x",
  "[1]#",
  "é",
  "😀",
  "[😀]",
  '{"é":é}',
  '{"a":"b" é}',
  "\f{}",
  "\v1",
  "1\u0085",
  "[[[[",
  '{"a":{"a":{"a":',
  "[[[]]",
  '[{"a":[}]',
  '{"a":[1,{"b":]}]}',
  "@",
];
const around: [string, string][] = [
  ["", ""],
  [" \n", " "],
  ['{"é😀": ["\\u00e9", ', "]}"],
  ['[{"a": null, "ü": ', "}, 1]"],
];
const json: Case[] = around.flatMap(([before, after], place) =>
  faults.map((fault, index) => text(`json-${place}-${index}`, before + fault + after)),
);
const keys: Case[] = faults.map((fault, index) => text(`key-${index}`, `{"é": 1, ${fault}: 2}`));

const good = JSON.stringify(valid);
const readings: Case[] = [
  text("duplicate-keys", `{"name": 3, ${good.slice(1)}`),
  text("duplicate-keys-last", `${good.slice(0, -1)}, "name": 3}`),
  text("proto-inside", `{"__proto__": ${good}}`),
  text("proto-null", `{"__proto__": null, ${good.slice(1)}`),
  text("escaped-names", good.replace('"name"', '"n\\u0061me"')),
  text("byte-order-mark", `\ufeff${good}`),
  text("byte-order-mark-fault", `\ufeff{"é":]`),
  text("byte-order-marks", `\ufeff\ufeff${good}`),
  text("spaces", ` \n\r\t${good}\n`),
  ...["[".repeat(500), "[".repeat(500) + "]".repeat(500), '{"a":'.repeat(500)].map((deep, index) =>
    text(`deep-${index}`, deep),
  ),
];
const contentTypes = [
  null,
  "",
  "application/json",
  "Application/JSON",
  "application/json; charset=utf-8",
  "application/json;charset=latin-1",
  "application/json;",
  "application/json ; x",
  " application/json",
  "application/json\t",
  "application/vnd.api+json",
  "application/a+b+json",
  "application/+json",
  "application/json+x",
  "application/x-json",
  "application/ json",
  "application /json",
  "application/json/x",
  "application/x+json/x",
  "application/x/y+json",
  "application/x+ json",
  "application/ +json",
  "application/x y+json",
  "application/json,application/json",
  "application/json, text/plain",
  ";application/json",
  "json",
  "/json",
  "application/",
  '"application/json"',
  "(c) application/json",
  "text/json",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/problem+JSON",
  "application/json x",
  "application/jsonx",
  "application//json",
  "application\t/json",
  "application/json\u00a0",
  "application/json=; x",
  "applicat\u00edon/json",
  "application/+",
  "x/+json",
];
const types: Case[] = contentTypes.flatMap((contentType, index) => [
  { ...text(`type-${index}`, good), contentType },
  { ...text(`type-${index}-fault`, '{"name": "é", ]'), contentType },
  { ...text(`type-${index}-empty`, ""), contentType },
]);

/** Where the answer differs by decision; the test has the reason and the answer of each. */
const decided: Case[] = [
  text("nan", '{"name": NaN}'),
  text("infinity", '["é", Infinity]'),
  text("minus-infinity", "-Infinity"),
  text("too-large-number", '{"name": 1e400}'),
  text("too-many-digits", `{"name": ${"1".repeat(5_000)}}`),
  ...["\ud800", "\udfff\ud800", "é\ud83d"].map((value, index) =>
    body(`half-pair-${index}`, { ...valid, input_text: value }),
  ),
  bytes("not-utf8", [0xff]),
  bytes("not-utf8-later", [...Buffer.from('{"name": "é😀\ufffd'), 0xc3, 0x28, 0x22, 0x7d]),
  bytes("not-utf8-cut", [...Buffer.from('{"name": "'), 0xf0, 0x9f, 0x98]),
  bytes("not-utf8-surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]),
  { ...bytes("not-utf8-text", [0xff, 0x41]), contentType: "text/plain" },
  bytes("utf16", [...Buffer.from(`\ufeff${good}`, "utf16le")]),
  text("very-deep", "[".repeat(2_000)),
  text("very-deep-closed", `{"name": ${"[".repeat(2_000)}${"]".repeat(2_000)}}`),
];

/** All requests whose responses record.py records, each with a unique id. */
export const cases: Case[] = [
  ...fields,
  ...fileFields,
  ...items,
  ...roots,
  ...combinations,
  ...lists,
  ...listsBesides,
  ...templateIds,
  ...paths,
  ...json,
  ...keys,
  ...readings,
  ...types,
  ...decided,
];

function body(id: string, value: unknown): Case {
  return { id, body: JSON.stringify(value) };
}
function text(id: string, raw: string): Case {
  return { id, body: raw };
}
function bytes(id: string, content: number[]): Case {
  return { id, base64: Buffer.from(content).toString("base64") };
}
/** `__proto__` becomes a field of the object's own, as in JSON. */
function withField(object: object, field: string, value: unknown): object {
  return Object.fromEntries([...Object.entries(object).filter(([name]) => name !== field), [field, value]]);
}

/** The text of the file that record.py reads. */
export const casesJson = `[\n${cases.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`;

if (import.meta.main) writeFileSync(new URL("cases.json", import.meta.url), casesJson);
