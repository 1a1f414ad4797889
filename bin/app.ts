import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { ServiceStack } from "../lib/service-stack.ts";
import { readSettings } from "../lib/settings.ts";

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
new ServiceStack(app, readSettings(app.node));
