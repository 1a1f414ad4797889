import sax from "sax";

export interface XmlHandler {
  /** Names of elements have no namespace prefix: `w:p` is `p`. Those of attributes are as written. */
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
  Object.assign(parser, {
    onerror(error: Error) {
      throw new Error(`its XML is damaged: ${error.message.split("\n")[0]}`);
    },
    onopentag: ({ name, attributes }: sax.Tag) => handler.open(localName(name), attributes),
    onclosetag: (name: string) => handler.close(localName(name)),
    ontext: (text: string) => handler.text(text),
    oncdata: (text: string) => handler.text(text),
  });
  parser.write(xml).close();
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** The value for an element. Undefined for an inherited property: an element can have the name `__proto__`. */
export function ownValue<T>(values: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
