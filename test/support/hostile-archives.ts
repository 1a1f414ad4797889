import { deflateRawSync } from "node:zlib";
import { sha256Of } from "../../src/agent/turn/files/manifest.ts";
import { archiveOf, type BundleContent, bundleOf, replaced } from "./bundles.ts";

/** Makes a hostile bundle of a valid one. `files`: those of the bundle without its manifest. */
export type Hostile = (valid: { bundle: Buffer; files: BundleContent[] }) => Promise<Uint8Array> | Uint8Array;

/** What is wrong with a bundle: the bundle, and what the error says. */
export type HostileTable = Record<string, [Hostile, string]>;

/** The bundle with other bytes. */
function patched(change: (bytes: Buffer) => void): Hostile {
  return ({ bundle }) => {
    const bytes = Buffer.from(bundle);
    change(bytes);
    return bytes;
  };
}

/** Where the directory of an archive begins. */
function directoryOf(bytes: Buffer): number {
  return bytes.readUInt32LE(bytes.length - 6);
}

function listed(hash?: string) {
  return ({ name, content }: BundleContent) => ({ name, bytes: content.length, sha256: hash ?? sha256Of(content) });
}

const other = { name: `contents/${sha256Of(Buffer.from("x"))}`, content: Buffer.from("x") };
const kinds = ["run", "events", "configurations", "contents"];

function placeOf(name: string): number {
  return kinds.findIndex((kind) => name.startsWith(kind));
}

/** Orders files as a bundle does. */
function byPlace({ name: a }: BundleContent, { name: b }: BundleContent): number {
  return placeOf(a) - placeOf(b) || (a < b ? -1 : 1);
}

/** Archives that no export writes, and manifests that do not fit them. */
export const hostileArchives: HostileTable = {
  "is empty": [() => new Uint8Array(), "shorter than an empty archive"],
  "is no archive": [() => Buffer.from("x".repeat(9_999)), "it does not end as one"],
  "is cut": [({ bundle }) => bundle.subarray(0, -1), "it does not end as one"],
  "has bytes before it": [
    ({ bundle }) => Buffer.concat([Buffer.from("#!/bin/sh\n"), bundle]),
    "it does not end as one",
  ],
  "has bytes behind it": [({ bundle }) => Buffer.concat([bundle, Buffer.from("x")]), "it does not end as one"],
  "has a comment": [
    ({ bundle }) => {
      const bytes = Buffer.concat([bundle, Buffer.from("hello")]);
      bytes.writeUInt16LE(5, bundle.length - 2);
      return bytes;
    },
    "it does not end as one",
  ],
  "has a compressed file (a bomb of 1 GB)": [
    patched((bytes) => {
      deflateRawSync(Buffer.alloc(1_000_000)).copy(bytes, 40);
      bytes.writeUInt16LE(8, directoryOf(bytes) + 10);
      bytes.writeUInt32LE(2 ** 30, directoryOf(bytes) + 24);
    }),
    "its directory is not as expected at file 1",
  ],
  "has a header that differs from its directory": [
    patched((bytes) => void bytes.write("RUN.json", 30)),
    "the header of run.json differs",
  ],
  "has an encrypted file": [
    patched((bytes) => void bytes.writeUInt16LE(0x0801, directoryOf(bytes) + 8)),
    "its directory is not as expected",
  ],
  "has files that overlap": [
    patched((bytes) => void bytes.writeUInt32LE(0, directoryOf(bytes) + 46 + 8 + 42)),
    "its directory is not as expected at file 2",
  ],
  "has a damaged content": [patched((bytes) => void bytes.write("X", 60)), "is damaged: its checksum differs"],
  "has a name out of its folder": [
    ({ files }) => bundleOf([...files, { name: "../../etc/passwd", content: Buffer.from("x") }]),
    'a bundle has no file "../../etc/passwd"',
  ],
  "has an absolute name": [({ files }) => bundleOf([...files, { ...other, name: "/tmp/x" }]), 'no file "/tmp/x"'],
  "has a name with a hash behind a path": [
    ({ files }) => bundleOf([...files, { ...other, name: `../${other.name}` }]),
    'no file "../contents/',
  ],
  "has a file twice": [({ files }) => bundleOf([...files, ...files.slice(-1)]), "a bundle has no file"],
  "has its files in another order": [({ files }) => bundleOf(files.toReversed()), "its first file is not run.json"],
  "has a content that no event names": [
    ({ files }) => bundleOf([...files, other].toSorted(byPlace)),
    "does not name the content",
  ],
  "has a content under the name of another one": [
    ({ files }) => bundleOf(replaced(files, /^contents/, () => "changed")),
    "a content is named",
  ],
  "has no manifest": [({ files }) => archiveOf(files), "its last file is not manifest.json"],
  "has another format": [({ files }) => bundleOf(files, { format: "tar" }), 'its format is "tar"'],
  "has a later version": [({ files }) => bundleOf(files, { version: 2 }), "it has version 2"],
  "has a manifest with wrong hashes": [
    ({ files }) => bundleOf(files, { files: files.map(listed("0".repeat(64))) }),
    "a content is named",
  ],
  "has a manifest with a wrong hash of its events": [
    ({ files }) =>
      bundleOf(files, { files: files.map((file, index) => listed(index === 1 ? "0".repeat(64) : undefined)(file)) }),
    "the SHA-256 of events-000001.ndjson is not that of manifest.json",
  ],
  "has a manifest with more files": [
    ({ files }) =>
      bundleOf(files, { files: [...files.map(listed()), { name: "x", bytes: 1, sha256: "0".repeat(64) }] }),
    "lists another number of files",
  ],
  "has a manifest that is not JSON": [
    ({ files }) => archiveOf([...files, { name: "manifest.json", content: Buffer.from("{") }]),
    "manifest.json is not valid JSON",
  ],
  "has a run that is not UTF-8": [
    ({ files }) => bundleOf(files.with(0, { name: "run.json", content: Buffer.from([0xff, 0xfe]) })),
    "run.json is not UTF-8",
  ],
};
