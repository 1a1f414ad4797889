/** As `Promise.all`, but rejects only when none of the work goes on any more, and then with the first error in order. */
export async function settleAll<Value>(work: Promise<Value>[]): Promise<Value[]> {
  const settled = await Promise.allSettled(work);
  return settled.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
}
