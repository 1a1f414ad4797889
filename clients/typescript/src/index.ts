export { AgentRuns, type ClientOptions } from "./client.ts";
export type { Clock } from "./clock.ts";
export type { CreateOptions } from "./create.ts";
export * from "./errors.ts";
export type { Logger } from "./logger.ts";
export type {
  CallAnswer,
  ClientTools,
  DownloadOptions,
  EventsOptions,
  InputOptions,
  ListOptions,
  PageOptions,
  WaitOptions,
} from "./options.ts";
export type { ResultOf, ResultSchema, StandardJsonSchema } from "./result.ts";
export { Run, type RunPage } from "./run.ts";
export type { Runs } from "./runs.ts";
export { ToolOutput } from "./serve.ts";
export type {
  Agent,
  Event,
  Failure,
  FileInput,
  OpenCall,
  ResultError,
  RunDetail,
  RunFile,
  RunLimits,
  RunStatus,
  RunSummary,
  RunToken,
  Usage,
} from "./types.ts";
export { verifyWebhook, type WebhookPayload } from "./webhook.ts";
export type { TextPlace } from "./written-text.ts";
