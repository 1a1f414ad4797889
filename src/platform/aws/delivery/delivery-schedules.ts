import { createHash } from "node:crypto";
import { ConflictException, CreateScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { type ClientSettings, tuned } from "../sdk/clients.ts";
import type { DueDelivery } from "./delivery-queue.ts";

/** Where one-time schedules of EventBridge Scheduler are made, and what they send messages to. */
export interface ScheduleTarget {
  group: string;
  queueArn: string;
  /** Role that lets the scheduler send messages to the queue. */
  roleArn: string;
}

export interface DeliverySchedules {
  /** Adds the message to the queue at a time in milliseconds. Idempotent: the schedule is named after the attempt. */
  create(due: DueDelivery, at: number): Promise<void>;
}

/** For waits that are longer than `maxDelaySeconds`. A schedule deletes itself after its message was sent. */
export function deliverySchedules(
  settings: ClientSettings,
  { group, queueArn, roleArn }: ScheduleTarget,
): DeliverySchedules {
  const scheduler = new SchedulerClient(tuned(settings, 5_000));
  return {
    async create(due, at) {
      const message: DueDelivery = { ...due, isScheduled: true };
      const command = new CreateScheduleCommand({
        GroupName: group,
        Name: nameOf(due),
        ScheduleExpression: `at(${new Date(at).toISOString().slice(0, 19)})`, // UTC, without milliseconds
        FlexibleTimeWindow: { Mode: "OFF" },
        ActionAfterCompletion: "DELETE",
        Target: { Arn: queueArn, RoleArn: roleArn, Input: JSON.stringify(message) },
      });
      try {
        await scheduler.send(command);
      } catch (error) {
        if (!(error instanceof ConflictException)) throw error; // made by an earlier call
      }
    },
  };
}

/** The 64 characters that a name may have, because an id and a number can be longer. */
function nameOf({ id, attempts }: DueDelivery): string {
  return createHash("sha256").update(`${id} ${attempts}`).digest("hex");
}
