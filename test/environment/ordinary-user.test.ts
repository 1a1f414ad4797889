import { afterAll, describe, expect, it } from "vitest";
import { ordinaryUser } from "../support/ordinary-user.ts";
import { buildSeconds, environment, needMmdebstrap, works } from "./install.ts";

describe("mmdebstrap as an ordinary user, whose home folder is closed", () => {
  const user = ordinaryUser();
  afterAll(() => user[Symbol.dispose]());

  it("installs an environment that works and is that of this release", { timeout: buildSeconds * 1000 }, async () => {
    needMmdebstrap();
    await environment(user, "install", "--with", "mmdebstrap");
    expect(JSON.parse(await environment(user, "install", "--check", "--with", "mmdebstrap", "--json"))).toMatchObject(
      works,
    );
  });
});
