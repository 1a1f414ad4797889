// Durations and sizes that the queue of deliveries and its senders share with the infrastructure.

/** SQS accepts this many messages in one call. A function gets at most as many at once. */
export const maxBatch = 10;

/** Time-out of the function that sends deliveries: 15 s for the receiver, the rest for the table, with retries. */
export const sendDeliverySeconds = 60;
