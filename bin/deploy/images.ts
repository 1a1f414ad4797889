import { spawnSync } from "node:child_process";
import { imageOf } from "../../lib/sandbox/environments.ts";
import type { Settings } from "../../lib/settings.ts";
import type { Account } from "./account.ts";
import type { Plan } from "./plan.ts";
import type { Check } from "./check.ts";
import { isDeployed, outputsOf } from "./preflight.ts";

/** Whether the deployment builds images: of the Linux environments whose source is a folder. */
export function buildsImages({ sandbox, environments }: Settings): boolean {
  return sandbox === "linux" && Object.values(environments).some((source) => imageOf(source) === undefined);
}

/**
 * The command that builds images here: Docker or Podman, or what `CDK_DOCKER` names, as for CDK. Undefined: none works. The
 * client of Docker alone is not enough.
 */
export function findImageBuilder(variables: Record<string, string | undefined> = process.env): string | undefined {
  const { CDK_DOCKER: given } = variables;
  const commands = given ? [given] : ["docker", "podman"];
  return commands.find((command) => spawnSync(command, ["info"], { stdio: "ignore", timeout: 20_000 }).status === 0);
}

/** The arguments of a deployment without images. */
export const withoutImages = ["--context", "sandbox=javascript"];

/** Whether this machine can build the planned images. Without `builder`, they are left out, which `withoutImages` asks for. */
export function imageChecks(
  { settings, service, isPrepared }: Plan,
  { stacks }: Account,
  builder: string | undefined,
): Check[] {
  if (!buildsImages(settings)) return [];
  const name = "images";
  const { sandboxArchitecture } = settings;
  if (builder !== undefined) {
    const own = { x64: "x86_64", arm64: "arm64" }[process.arch as string];
    if (own === sandboxArchitecture) return [{ verdict: "ok", name, text: `are built with ${builder}` }];
    const text =
      `are built with ${builder} for ${sandboxArchitecture} on ${own ?? process.arch}, which needs emulation (binfmt) and ` +
      `ten minutes or more; set sandboxArchitecture to ${own ?? "that of this machine"} to build without it`;
    return [{ verdict: "note", name, text }];
  }
  const deployed = "value" in stacks ? stacks.value.get(service.name) : undefined;
  const missing = "neither Docker nor Podman works on this machine, so the Linux environment cannot be built";
  const remedy = "install and start one of them, or name images in environments; docs/deploying.md#sandbox";
  if (isDeployed(deployed) && outputsOf(deployed)["SandboxMode"] === "linux") {
    const text = `${missing}, and the deployed service has it; ${remedy}. To remove it, set sandbox to javascript`;
    return [{ verdict: "stop", name, text }];
  }
  if (isPrepared) {
    const text = `${missing}, and the assembly has it; ${remedy}, or write the assembly with sandbox=javascript`;
    return [{ verdict: "stop", name, text }];
  }
  const text = `${missing}: this deployment has sandbox=javascript, without run_shell and Python libraries; ${remedy}`;
  return [{ verdict: "note", name, text }];
}
