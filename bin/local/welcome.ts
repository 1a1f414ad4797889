/** The text that `npm start` prints when the service is ready. `apiKey` is set if it was created by this start. */
export function welcome(service: {
  baseUrl: string;
  templateId: string;
  apiKey: string | undefined;
  consoleUrl: string;
  dataDir: string;
}): string {
  const { baseUrl, templateId, apiKey, consoleUrl, dataDir } = service;
  const bearer = `-H 'Authorization: Bearer ${apiKey ?? "API_KEY"}'`;
  const body = {
    name: "First run",
    template_id: templateId,
    input_text: "What is in the file?",
    files: [{ filename: "hello.txt", content_base64: Buffer.from("Hello from a file.\n").toString("base64") }],
  };
  const dataDirOption = dataDir === ".data" ? "" : ` --data-dir ${dataDir}`;
  const key = apiKey
    ? `API key: ${apiKey}\n  (shown only once; the service keeps its hash)`
    : `API key: shown when it was created. Create another: npm run -s admin -- key create --agent ${templateId}${dataDirOption}`;
  return `Agent Run Service: ${baseUrl}   (data in ${dataDir}, Ctrl-C to stop)
Console: ${consoleUrl}
${key}

Create a run that reads a file:
  curl -s ${baseUrl}/v1/agents ${bearer} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'

Read its status and transcript, with the agent_id of the response:
  curl -s ${baseUrl}/v1/agents/AGENT_ID ${bearer}`;
}
