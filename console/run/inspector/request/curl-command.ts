/** A request as a command for a shell. In headers, `$NAME` is a variable that the reader has to set. */
export function curlCommand({ url, headers, body }: Request): string {
  const sent = Object.entries(headers).filter(([name]) => name !== "user-agent");
  const lines = [
    `curl -sS -N ${quoted(url)}`,
    ...sent.map(
      ([name, value]) =>
        `  -H ${variable.test(value) ? doubleQuoted(`${name}: ${value}`) : quoted(`${name}: ${value}`)}`,
    ),
    "  --data-binary @- <<'REQUEST_BODY'",
  ];
  return `${lines.join(" \\\n")}\n${body}\nREQUEST_BODY\n`;
}

interface Request {
  url: string;
  headers: Record<string, string>;
  /** One line: JSON without white space. */
  body: string;
}

/** Only the service writes it, in place of a key. */
const variable = /\$(MODEL_API_KEY|AWS_BEARER_TOKEN_BEDROCK)$/;

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function doubleQuoted(text: string): string {
  return `"${text.replaceAll(/["\\`]/g, "\\$&")}"`;
}
