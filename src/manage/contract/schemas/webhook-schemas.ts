import { eventTypes, maxWebhookUrl, overlapHours } from "../../../accounts/account-limits.ts";
import { reference } from "../../../http/description.ts";
import {
  body,
  flag,
  integer,
  list,
  nullable,
  nullableReference,
  object,
  oneOfTexts,
  page,
  text,
  time,
  uuid,
} from "../../../http/rest/schemas/schema-builders.ts";
import { deliveryTypes } from "../../../runs/status.ts";

const url = "URL of the receiver. Null: only runs with a URL of their own are reported.";
const privateAddresses =
  "Whether URLs may begin with `http:` and lead to private addresses, as far as the deployment allows them.";
const example = { examples: ["https://example.com/hooks/runs"] };

const eventTypesOf = "Events that are sent to `url`. Null: all, also those of later releases.";
const events = { minItems: 1, maxItems: eventTypes.length } as const;

const sharedFields = {
  event_types: nullable(list(eventTypesOf, oneOfTexts("What happened.", eventTypes), events)),
  disabled_reason: nullable(text("Why the service disabled it. Null: it did not.")),
  private_addresses: flag(privateAddresses),
  secret_created_at: time("When the newest secret was created."),
  old_secret_valid_until: nullable(time("Until when an older secret signs messages, too. Null: there is none.")),
  created_at: time("When it was created."),
  updated_at: time("When it was last changed."),
};

const webhook = {
  agent_id: uuid("The agent."),
  url: nullable(text(url, example)),
  enabled: flag("False: nothing is sent to `url`. Runs with a URL of their own are reported."),
  ...sharedFields,
};

const endpoint = {
  id: text("The endpoint's ID.", { examples: ["ep_1f0b6c2a9d3e"] }),
  agent_id: uuid("The agent."),
  url: text("URL of the receiver.", example),
  enabled: flag("False: nothing is sent to `url`."),
  ...sharedFields,
};

const secret = nullable(
  text("The new secret, which signs messages. Only this response has it. Null: the webhook kept its secret.", {
    examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  }),
);

const settings = {
  enabled: flag("False: nothing is sent to `url`.", { default: true }),
  event_types: nullable(list(`${eventTypesOf} Default: all.`, oneOfTexts("What happened.", eventTypes), events)),
  private_addresses: flag(privateAddresses, { default: false }),
};

export const webhookSchemas = {
  Webhook: object("Where the ends of an agent's runs are reported.", webhook),
  ChangedWebhook: object("A webhook after a change.", {
    ...webhook,
    secret,
  }),
  WebhookEndpoint: object("A receiver of an agent's webhook besides the first.", endpoint),
  ChangedWebhookEndpoint: object("An endpoint after a change.", { ...endpoint, secret }),
  WebhookEndpointList: page(
    reference("WebhookEndpoint"),
    "Always null: the list has all endpoints besides the first, oldest first.",
  ),
  SetWebhookRequest: body("Settings of a webhook.", {
    url: nullable(text(url, { minLength: 1, maxLength: maxWebhookUrl, ...example })),
    ...settings,
  }),
  SetWebhookEndpointRequest: body(
    "Settings of an endpoint.",
    { url: text("URL of the receiver.", { minLength: 1, maxLength: maxWebhookUrl, ...example }), ...settings },
    ["url"],
  ),
  RotateWebhookSecretRequest: body("How to rotate a secret.", {
    overlap_hours: integer("Hours that the old secret stays valid. 0: it is removed at once.", {
      minimum: 0,
      maximum: overlapHours.max,
      default: overlapHours.default,
    }),
  }),
  Delivery: object("A message about a run, or a test, and how it was sent.", {
    id: text("The delivery's ID.", { examples: ["msg_5f5d194690534416ae3ff7887ed877cc_1_finished"] }),
    message_id: text("The message's `webhook-id`. Deliveries of the same message share it."),
    endpoint_id: nullable(text("The endpoint that it is sent to. Null: the webhook's own URL, or that of the run.")),
    run_id: uuid("The run. Of a test, all zeros."),
    turn: integer("The turn that ended. Of a test, 0."),
    type: oneOfTexts("What is reported.", deliveryTypes),
    state: oneOfTexts("`pending`: the next attempt is due at `next_attempt_at`. `failed`: there is none.", [
      "pending",
      "delivered",
      "failed",
    ]),
    at: time("When it happened."),
    attempts: integer("Attempts to send it."),
    next_attempt_at: nullable(time("When the next attempt is due. Null unless `pending`.")),
    last_attempt: nullableReference("Null: it was not sent yet.", reference("DeliveryAttempt")),
  }),
  DeliveryAttempt: object("An attempt to send a message.", {
    at: time("When it began."),
    status: nullable(integer("Status of the receiver's response. Null: there was none.")),
    problem: nullable(text("Why the message was not accepted. Null: it was.", { examples: ["the status is not 2xx"] })),
    milliseconds: integer("Its duration."),
  }),
  DeliveryPage: page(reference("Delivery")),
};
