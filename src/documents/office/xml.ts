import sax from "sax";

export interface XmlHandler {
  /** Names of elements have no namespace prefix: `w:p` is `p`. Those of attributes have the usual one of their namespace. */
  open(name: string, attributes: Record<string, string>): void;
  close(name: string): void;
  text(text: string): void;
}

/**
 * Parses XML as a stream of events, so that its depth and size take no memory. Entities that a document declares are not
 * known. Throws an Error for XML that is not well-formed.
 */
export function parseXml(xml: string, handler: XmlHandler): void {
  const parser = sax.parser(true, { position: false });
  let renamed: Map<string, string> | undefined;
  Object.assign(parser, {
    onerror(error: Error) {
      throw new Error(`its XML is damaged: ${error.message.split("\n")[0]}`);
    },
    onopentag({ name, attributes }: sax.Tag) {
      renamed ??= otherPrefixes(attributes);
      handler.open(localName(name), renamed.size === 0 ? attributes : withPrefixes(attributes, renamed));
    },
    onclosetag: (name: string) => handler.close(localName(name)),
    ontext: (text: string) => handler.text(text),
    oncdata: (text: string) => handler.text(text),
  });
  parser.write(xml).close();
}

/** Namespaces whose attributes are read by the prefix that Office and OpenDocument software writes. */
const usualPrefixes: [namespace: RegExp, prefix: string][] = [
  [/\/wordprocessingml\/(?:2006\/)?main$/, "w"],
  [/\/officeDocument\/(?:2006\/)?relationships$/, "r"],
  [/\/officeDocument\/(?:2006\/)?math$/, "m"],
  [/^http:\/\/www\.w3\.org\/1999\/xlink$/, "xlink"],
  ...["text", "table", "style", "presentation"].map((name): [RegExp, string] => [
    new RegExp(`^urn:oasis:names:tc:opendocument:xmlns:${name}:1.0$`),
    name,
  ]),
  [/^urn:oasis:names:tc:opendocument:xmlns:drawing:1\.0$/, "draw"],
];

/** Other prefixes that a root element declares, with the usual ones: `ns0` of Python's ElementTree is `w`. */
function otherPrefixes(root: Record<string, string>): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, namespace] of Object.entries(root)) {
    const usual = usualPrefixes.find(([pattern]) => pattern.test(namespace))?.[1];
    if (usual !== undefined && name.startsWith("xmlns:") && name !== `xmlns:${usual}`) found.set(name.slice(6), usual);
  }
  return found;
}

function withPrefixes(attributes: Record<string, string>, prefixes: Map<string, string>): Record<string, string> {
  const renamed = Object.entries(attributes).map(([name, value]) => {
    const colon = name.indexOf(":");
    const usual = colon < 0 ? undefined : prefixes.get(name.slice(0, colon));
    return [usual === undefined ? name : `${usual}${name.slice(colon)}`, value];
  });
  return Object.fromEntries(renamed);
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
