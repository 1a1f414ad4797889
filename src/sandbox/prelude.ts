/**
 * Source of the functions that a JavaScript program can call. It runs in the program's virtual machine: a function that
 * takes the host's functions and returns a function for the program's promise, which prints the value and reports the
 * end. It copies the parts of the language that it uses, because the program may change them.
 */
export const prelude = String.raw`
(host) => {
  "use strict";
  const { print, end, list, text, bytes, write, parsed } = host;
  const { stringify, parse } = JSON;
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  const { join, map } = Array.prototype;
  const { exec } = RegExp.prototype;
  const text0 = String, ErrorType = Error, PromiseType = Promise, bytesType = Uint8Array, view = ArrayBuffer.isView, bufferType = ArrayBuffer;
  const describe = (error) => {
    try {
      if (!(error instanceof ErrorType)) return "Uncaught " + show(error);
      const place = /program\.js:\d+(:\d+)?/.exec(error.stack || "");
      return error.name + ": " + error.message + (place ? " (" + place[0] + ")" : "");
    } catch { return "The program threw a value that cannot be shown."; }
  };
  const show = (value) => {
    if (typeof value === "string") return value;
    if (typeof value === "bigint") return text0(value) + "n";
    if (value instanceof ErrorType) return describe(value);
    if (typeof value !== "object" || value === null) return text0(value);
    try {
      return stringify(value, (key, each) => {
        if (typeof each === "bigint") return text0(each) + "n";
        if (typeof each === "number" && each !== each) return "NaN";
        if (each instanceof Map) return { Map: [...each] };
        if (each instanceof Set) return { Set: [...each] };
        return each === undefined ? null : each;
      });
    } catch (error) { return "[" + describe(error) + "]"; }
  };
  const log = (...values) => print(apply(join, apply(map, values, [show]), [" "]));
  const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  define("console", { log, info: log, warn: log, error: log, debug: log });
  define("listFiles", () => list());
  define("readFile", (name) => text(text0(name)));
  define("readBytes", (name) => bytes(text0(name)));
  define("writeFile", (name, content) => {
    if (typeof content === "string") return write(text0(name), content);
    if (content instanceof bufferType) return write(text0(name), new bytesType(content));
    if (!view(content)) throw new TypeError("writeFile accepts a string or bytes as content, not " + typeof content);
    return write(text0(name), new bytesType(content.buffer, content.byteOffset, content.byteLength));
  });
  const manyDigits = /\d{16}/;
  const checked = {
    parse(source, revive) {
      source = "" + source;
      const value = parse(source, revive);
      if (apply(exec, manyDigits, [source])) parsed(source);
      return value;
    },
  };
  Object.defineProperty(JSON, "parse", { value: checked.parse, writable: true, configurable: true });
  define("parseCsv", (source, separator) => {
    source = text0(source);
    if (separator === undefined) {
      const head = source.split("\n", 1)[0];
      separator = [",", ";", "\t"].sort((a, b) => head.split(b).length - head.split(a).length)[0];
    }
    const rows = [];
    let row = [], field = "", quoted = false, at = 0;
    const endField = () => { row.push(field); field = ""; };
    const endRow = () => { endField(); if (row.length > 1 || row[0] !== "") rows.push(row); row = []; };
    while (at < source.length) {
      if (!quoted && field === "" && row.length === 0) {
        const newline = source.indexOf("\n", at);
        const end = newline < 0 ? source.length : newline;
        const line = source.slice(at, newline > at && source[newline - 1] === "\r" ? newline - 1 : end);
        if (!line.includes('"')) {
          if (line !== "") rows.push(line.split(separator));
          at = end + 1;
          continue;
        }
      }
      const c = source[at];
      if (quoted) {
        const close = source.indexOf('"', at);
        if (close < 0) { field += source.slice(at); at = source.length; break; }
        field += source.slice(at, close);
        if (source[close + 1] === '"') { field += '"'; at = close + 2; } else { quoted = false; at = close + 1; }
      } else if (c === '"' && field === "") { quoted = true; at++; }
      else if (c === separator) { endField(); at++; }
      else if (c === "\n") { endRow(); at++; }
      else if (c === "\r" && source[at + 1] === "\n") at++;
      else { field += c; at++; }
    }
    if (field !== "" || row.length > 0) endRow();
    const names = rows.shift() || [];
    return rows.map((values) => {
      const found = {};
      for (let index = 0; index < names.length; index++) found[names[index]] = values[index] === undefined ? "" : values[index];
      return found;
    });
  });
  const fail = (error) => end(describe(error));
  const finish = (value) => {
    if (value instanceof PromiseType) return void apply(then, value, [finish, fail]);
    if (value !== undefined) print(show(value));
    end("");
  };
  return (promise) => void apply(then, promise, [(result) => finish(result.value), fail]);
}
`;
