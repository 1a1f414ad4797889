/** Bytes that are converted at a time: a multiple of 3, so that the parts can be joined. */
const part = 3 * 16_384;

/** Bytes as base64, as the API accepts files. */
export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += part) {
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + part)));
  }
  return text;
}
