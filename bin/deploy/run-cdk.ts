import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs the CDK CLI at this terminal. `builder`: command that builds images. Resolves with its exit code. */
export function runCdk(command: "deploy" | "synth", args: string[], builder?: string): Promise<number> {
  const cdk = fileURLToPath(new URL("../../node_modules/aws-cdk/bin/cdk", import.meta.url));
  const env = { ...process.env, ...(builder !== undefined && { CDK_DOCKER: builder }) };
  const child = spawn(process.execPath, [cdk, command, ...args], { stdio: "inherit", env });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}
