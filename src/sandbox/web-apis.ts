/**
 * Functions of the host behind the web APIs of a JavaScript program. They take and return texts and bytes, and keep
 * nothing.
 */
export const webHost = {
  decode: (bytes: Uint8Array, label: string, fatal: boolean): string => new TextDecoder(label, { fatal }).decode(bytes),
  encode: (text: string): Uint8Array => new TextEncoder().encode(text),
  /** The parts of an address as JSON, after setting one of them. */
  url(address: string, base: string | undefined, name: string | undefined, value: string): string {
    const url = new URL(address, base);
    if (name !== undefined) Reflect.set(url, name, value);
    return JSON.stringify(Object.fromEntries(urlParts.map((part) => [part, url[part]])));
  },
  /** `input`: JSON with locales, options and the value. */
  format(kind: string, input: string): string {
    const { locales, options, value } = JSON.parse(input) as { locales?: string; options?: object; value: number };
    if (kind === "number") return new Intl.NumberFormat(locales, options).format(value);
    return new Intl.DateTimeFormat(locales, { timeZone: "UTC", ...options }).format(value);
  },
};

const urlParts = [
  "href",
  "origin",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
] as const;

/**
 * Source of the web APIs: TextDecoder, TextEncoder, URL, URLSearchParams, structuredClone, atob, btoa, and of Intl the
 * formats of numbers and dates. A function of the host's functions, which runs in the program's virtual machine.
 */
export const webApis = String.raw`
(host) => {
  "use strict";
  const { decode, encode, url, format } = host;
  const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  const toBytes = (input) => {
    if (input === undefined) return new Uint8Array();
    if (input instanceof ArrayBuffer) return new Uint8Array(input);
    if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    throw new TypeError("expected bytes");
  };
  define("TextDecoder", class TextDecoder {
    constructor(encoding = "utf-8", { fatal = false } = {}) {
      decode(new Uint8Array(), String(encoding), false);
      this.encoding = String(encoding).toLowerCase();
      this.fatal = Boolean(fatal);
    }
    decode(input) { return decode(toBytes(input), this.encoding, this.fatal); }
  });
  define("TextEncoder", class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") { return encode(String(text)); }
  });
  define("btoa", (text) => {
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let result = "";
    text = String(text);
    for (let at = 0; at < text.length; at += 3) {
      const codes = [0, 1, 2].map((n) => text.charCodeAt(at + n) || 0);
      if (codes.some((code) => code > 255)) throw new RangeError("btoa accepts characters up to U+00FF");
      const bits = (codes[0] << 16) | (codes[1] << 8) | codes[2];
      const missing = at + 3 - text.length;
      for (let n = 0; n < 4; n++) result += 4 - n <= missing ? "=" : digits[(bits >> (18 - 6 * n)) & 63];
    }
    return result;
  });
  define("atob", (text) => {
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let result = "", bits = 0, count = 0;
    for (const digit of String(text).replace(/[\s=]/g, "")) {
      const value = digits.indexOf(digit);
      if (value < 0) throw new RangeError("not base64: " + digit);
      bits = (bits << 6) | value;
      count += 6;
      if (count >= 8) { count -= 8; result += String.fromCharCode((bits >> count) & 255); }
    }
    return result;
  });
  const query = (text) => decodeURIComponent(text.replace(/\+/g, " ").replace(/%(?![0-9a-f]{2})/gi, "%25"));
  const form = (text) => encodeURIComponent(text).replace(/%20/g, "+").replace(/[!'()~]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    constructor(init = "", changed) {
      if (changed) this.#changed = changed;
      if (typeof init === "object" && init !== null) {
        const pairs = init[Symbol.iterator] ? [...init] : Object.entries(init);
        this.#pairs = pairs.map(([name, value]) => [String(name), String(value)]);
      } else {
        for (const part of String(init).replace(/^\?/, "").split("&").filter(Boolean)) {
          const at = part.indexOf("=");
          this.#pairs.push(at < 0 ? [query(part), ""] : [query(part.slice(0, at)), query(part.slice(at + 1))]);
        }
      }
    }
    get size() { return this.#pairs.length; }
    get(name) { const pair = this.#pairs.find(([each]) => each === name); return pair ? pair[1] : null; }
    getAll(name) { return this.#pairs.filter(([each]) => each === name).map(([, value]) => value); }
    has(name) { return this.#pairs.some(([each]) => each === name); }
    append(name, value) { this.#pairs.push([String(name), String(value)]); this.#changed(); }
    delete(name) { this.#pairs = this.#pairs.filter(([each]) => each !== name); this.#changed(); }
    set(name, value) {
      const at = this.#pairs.findIndex(([each]) => each === name);
      if (at < 0) return this.append(name, value);
      this.#pairs = this.#pairs.filter(([each], index) => each !== name || index === at);
      this.#pairs[at][1] = String(value);
      this.#changed();
    }
    sort() { this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); this.#changed(); }
    forEach(visit) { for (const [name, value] of this) visit(value, name, this); }
    entries() { return this.#pairs.map((pair) => [...pair]).values(); }
    keys() { return this.#pairs.map(([name]) => name).values(); }
    values() { return this.#pairs.map(([, value]) => value).values(); }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map(([name, value]) => form(name) + "=" + form(value)).join("&"); }
  }
  define("URLSearchParams", URLSearchParams);
  class URL {
    #parts;
    #params;
    constructor(address, base) {
      this.#parts = JSON.parse(url(String(address), base === undefined ? undefined : String(base), undefined, ""));
    }
    static canParse(address, base) { try { new URL(address, base); return true; } catch { return false; } }
    static parse(address, base) { try { return new URL(address, base); } catch { return null; } }
    static part(target, name) { return target.#parts[name]; }
    static setPart(target, name, value) {
      target.#parts = JSON.parse(url(target.#parts.href, undefined, name, String(value)));
      if (name === "search" || name === "href") target.#params = undefined;
    }
    get searchParams() {
      const params = this.#params || new URLSearchParams(this.#parts.search, () => {
        this.#parts = JSON.parse(url(this.#parts.href, undefined, "search", params.toString()));
      });
      return (this.#params = params);
    }
    toString() { return this.#parts.href; }
    toJSON() { return this.#parts.href; }
  }
  const { part, setPart } = URL;
  delete URL.part;
  delete URL.setPart;
  for (const name of ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"]) {
    const get = function () { return part(this, name); };
    const set = name === "origin" ? undefined : function (value) { setPart(this, name, value); };
    Object.defineProperty(URL.prototype, name, { get, set, enumerable: true, configurable: true });
  }
  define("URL", URL);
  define("structuredClone", (value) => {
    const seen = new Map();
    const clone = (each) => {
      if (typeof each === "function" || typeof each === "symbol") throw new TypeError("structuredClone cannot copy a " + typeof each);
      if (typeof each !== "object" || each === null) return each;
      if (seen.has(each)) return seen.get(each);
      const keep = (copy) => (seen.set(each, copy), copy);
      if (each instanceof Date) return keep(new Date(each));
      if (each instanceof RegExp) return keep(new RegExp(each.source, each.flags));
      if (each instanceof ArrayBuffer) return keep(each.slice(0));
      if (ArrayBuffer.isView(each)) return keep(new each.constructor(clone(each.buffer), each.byteOffset, each.length === undefined ? each.byteLength : each.length));
      if (each instanceof Map) { const copy = keep(new Map()); each.forEach((item, key) => copy.set(clone(key), clone(item))); return copy; }
      if (each instanceof Set) { const copy = keep(new Set()); each.forEach((item) => copy.add(clone(item))); return copy; }
      if (each instanceof Error) { const copy = keep(new each.constructor(each.message)); copy.stack = each.stack; return copy; }
      const copy = keep(Array.isArray(each) ? new Array(each.length) : {});
      for (const key of Object.keys(each)) copy[key] = clone(each[key]);
      return copy;
    };
    return clone(value);
  });
  const formatter = (kind, toNumber) => class {
    #locales;
    #options;
    constructor(locales, options) {
      this.#locales = Array.isArray(locales) ? locales[0] : locales;
      this.#options = options;
      this.format = (value) => format(kind, JSON.stringify({ locales: this.#locales, options: this.#options, value: toNumber(value) }));
      this.format(0);
    }
  };
  const NumberFormat = formatter("number", Number);
  const DateTimeFormat = formatter("date", (value) => (value === undefined ? Date.now() : Number(value)));
  define("Intl", { NumberFormat, DateTimeFormat });
  const method = (prototype, name, value) => Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
  method(Number.prototype, "toLocaleString", function (locales, options) { return new NumberFormat(locales, options).format(this); });
  const dateMethod = (name, defaults) => method(Date.prototype, name, function (locales, options) {
    return new DateTimeFormat(locales, { ...defaults, ...options }).format(this);
  });
  dateMethod("toLocaleDateString", {});
  const time = { hour: "numeric", minute: "numeric", second: "numeric" };
  method(Date.prototype, "toLocaleTimeString", function (locales, options) { return new DateTimeFormat(locales, { ...time, ...options }).format(this); });
  method(Date.prototype, "toLocaleString", function (locales, options) {
    const day = { year: "numeric", month: "numeric", day: "numeric", ...time };
    const zone = options && options.timeZone ? { timeZone: options.timeZone } : {};
    const own = options && Object.keys(options).some((key) => !/^(timeZone|hour12)$/.test(key));
    return new DateTimeFormat(locales, own ? options : { ...day, ...zone, ...options }).format(this);
  });
}
`;
