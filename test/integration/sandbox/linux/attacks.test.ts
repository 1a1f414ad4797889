import { afterAll } from "vitest";
import { describeAttacks } from "./attacks/describe-attacks.ts";
import { openEngine } from "./engine.ts";

const engine = await openEngine();
afterAll(() => "close" in engine && engine.close());

describeAttacks({
  name: "bubblewrap",
  ...("unavailable" in engine ? engine : { run: (program) => engine.run(program) }),
});
