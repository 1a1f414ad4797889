import { test } from "vitest";
import { synthesize } from "./synth.ts";

test("removal: destroy deletes table and bucket with the stack", () => {
  const disposable = synthesize({ context: { removal: "destroy" } });
  disposable.template.hasResource("AWS::DynamoDB::GlobalTable", {
    DeletionPolicy: "Delete",
    Properties: { Replicas: [{ DeletionProtectionEnabled: false }] },
  });
  disposable.template.hasResource("AWS::S3::Bucket", { DeletionPolicy: "Delete" });
  disposable.template.resourceCountIs("Custom::S3AutoDeleteObjects", 1);
});

test("objects expire one day after their run, and uploads one day after the time for which they can be named", () => {
  const { template: other } = synthesize({ context: { retentionDays: 30 } });
  other.hasResourceProperties("AWS::S3::Bucket", {
    LifecycleConfiguration: {
      Rules: [
        { Id: "abandoned-uploads", Status: "Enabled", AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
        { Id: "expired-workspaces", Status: "Enabled", Prefix: "workspaces/", ExpirationInDays: 31 },
        { Id: "expired-texts", Status: "Enabled", Prefix: "texts/", ExpirationInDays: 31 },
        { Id: "expired-uploads", Status: "Enabled", Prefix: "uploads/", ExpirationInDays: 2 },
        { Id: "expired-staging", Status: "Enabled", Prefix: "staging/", ExpirationInDays: 2 },
      ],
    },
  });
});
