/** What a program needs to call an agent. */
export interface FirstCall {
  /** Base address of v1. Null: not known to the service. */
  serviceUrl: string | null;
  agentId: string;
  /** The key itself, or the name of a variable that has it. */
  key: string;
}

export const callLanguages = ["curl", "TypeScript", "Python", ".env"] as const;
export type CallLanguage = (typeof callLanguages)[number];

const placeholder = "https://SERVICE.example.com";

/** "Hello from a file." as base64, so that the command can be run as it is. */
const file = `{"filename": "hello.txt", "content_base64": "SGVsbG8gZnJvbSBhIGZpbGUu"}`;
const input = "What is in the file?";

/** A program that starts a run with one small file. */
export function firstCall(language: CallLanguage, call: FirstCall): string {
  return programs[language]({ ...call, serviceUrl: (call.serviceUrl ?? placeholder).replace(/\/+$/, "") });
}

type Complete = FirstCall & { serviceUrl: string };

const programs: Record<CallLanguage, (call: Complete) => string> = {
  curl: ({ serviceUrl, agentId, key }) => `curl -s ${serviceUrl}/v1/agents \\
  -H "Authorization: Bearer ${key}" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "name": "First run",
    "template_id": "${agentId}",
    "input_text": "${input}",
    "files": [${file}]
  }'`,
  TypeScript: ({ serviceUrl, agentId, key }) => `const answer = await fetch("${serviceUrl}/v1/agents", {
  method: "POST",
  headers: {
    authorization: ${key.startsWith("$") ? `\`Bearer \${process.env.${key.slice(1)}}\`` : `"Bearer ${key}"`},
    "content-type": "application/json",
  },
  body: JSON.stringify({
    name: "First run",
    template_id: "${agentId}",
    input_text: "${input}",
    files: [{ filename: "hello.txt", content_base64: btoa("Hello from a file.") }],
  }),
});
console.log(answer.status, await answer.text());`,
  Python: ({ serviceUrl, agentId, key }) => `import base64, json, ${key.startsWith("$") ? "os, " : ""}urllib.request

body = {
    "name": "First run",
    "template_id": "${agentId}",
    "input_text": "${input}",
    "files": [{"filename": "hello.txt",
               "content_base64": base64.b64encode(b"Hello from a file.").decode()}],
}
request = urllib.request.Request(
    "${serviceUrl}/v1/agents",
    data=json.dumps(body).encode(),
    headers={"Authorization": ${key.startsWith("$") ? `"Bearer " + os.environ["${key.slice(1)}"]` : `"Bearer ${key}"`},
             "Content-Type": "application/json"},
)
print(urllib.request.urlopen(request).read().decode())`,
  ".env": ({ serviceUrl, agentId, key }) => `AGENT_RUN_URL=${serviceUrl}
AGENT_RUN_AGENT=${agentId}
AGENT_RUN_KEY=${key.startsWith("$") ? "" : key}`,
};
