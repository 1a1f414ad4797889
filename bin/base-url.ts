/** Throws an Error for people when what `--base-url` was given is no address of a service. */
export function checkBaseUrl(baseUrl: string, example: string): void {
  if (/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "") && !/\/v1\/*$/.test(baseUrl)) return;
  throw new Error(`--base-url is "${baseUrl}"; give an http or https URL without /v1, as ${example}`);
}
