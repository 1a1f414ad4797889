/** Like `Promise.all`, but waits until all work has settled, then rejects with the first error in order. */
export async function settleAll<Value>(work: Promise<Value>[]): Promise<Value[]> {
  const settled = await Promise.allSettled(work);
  return settled.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}
