import { type App, Stack } from "aws-cdk-lib";

/** A stack of somebody's own app, in which functions are not bundled. */
export function stackIn(app: App): Stack {
  app.node.setContext("aws:cdk:bundling-stacks", []);
  return new Stack(app, "Shop");
}
