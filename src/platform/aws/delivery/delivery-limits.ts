// Durations and sizes that the queue of deliveries and its senders share with the infrastructure.

/** Deliveries that a function gets at once. */
export const deliveryBatch = 10;

/** Time-out of the function that sends deliveries: 15 s for the receiver, the rest for the table, with retries. */
export const sendDeliverySeconds = 60;

/** The longest time that SQS delays a message. */
export const maxDelaySeconds = 900;
