import { expect } from "vitest";
import { marked, markersIn } from "../../support/markers.ts";
import { forAll, type Work } from "./callers.ts";
import { type KilledService, Unanswered } from "./killed-service.ts";
import { settled, transcriptOf } from "./runs.ts";

interface Marked {
  id: string;
  number: number;
}

/**
 * A run whose deletion was acknowledged keeps nothing of its texts, in no file of the data directory. One whose deletion was not
 * is whole or as empty.
 */
export function deletes(): Work {
  let sent = 0;
  const deleted: Marked[] = [];
  const unanswered: Marked[] = [];

  /** Whether a run has neither texts nor files. */
  async function isGone(service: KilledService, { id }: Marked): Promise<boolean> {
    const { name, status } = await settled(service, id);
    if (status !== "terminated") return false;
    const files = await service.insist<{ data: unknown[] }>("GET", `/ext/v1/runs/${id}/files`);
    const events = await service.insist<{ data: unknown[] }>("GET", `/ext/v1/runs/${id}/events`);
    const transcript = await transcriptOf(service, id);
    return name === "" && files.body.data.length + events.body.data.length + transcript.length === 0;
  }

  return {
    name: "deletes",
    callers: 5,
    acknowledged: () => deleted.length,
    async round(service) {
      const number = ++sent;
      const body = {
        name: `MARK-${number}-NAME-0`,
        labels: { who: `MARK-${number}-LABEL-0` },
        input_text: marked(number, "INPUT"),
        files: [
          {
            filename: `MARK-${number}-FILENAME-0.txt`,
            content_base64: Buffer.from(marked(number, "FILE")).toString("base64"),
          },
        ],
      };
      const { id } = (await service.send<{ id: string }>("POST", "/ext/v1/runs", { body })).body;
      await settled(service, id); // a deletion of a run with a turn in progress takes 3 s
      try {
        await service.send("DELETE", `/ext/v1/runs/${id}`);
        deleted.push({ id, number });
      } catch (error) {
        if (error instanceof Unanswered) unanswered.push({ id, number });
        throw error;
      }
    },
    async check(service, count) {
      const { dataDir } = await service.current;
      const left = (runs: Marked[]): Marked[] => {
        const found = markersIn(dataDir);
        return runs.filter(({ number }) => found.has(number));
      };
      const acknowledged = deleted.slice(0, count);
      expect(left(acknowledged)).toEqual([]);
      await forAll(acknowledged, async (run) => expect([run, await isGone(service, run)]).toEqual([run, true]));

      // In a copy of an earlier time, later deletions are not sure either, and some runs are not there yet.
      const expected = count < deleted.length ? [200, 404] : [200];
      const gone: Marked[] = [];
      let whole = 0;
      await forAll([...unanswered, ...deleted.slice(count)], async (run) => {
        const found = await service.insist("GET", `/ext/v1/runs/${run.id}`, { expected });
        if (found.status === 404) return;
        const { status } = await settled(service, run.id);
        if (status === "finished") {
          whole++;
          expect((await transcriptOf(service, run.id))[0]?.text).toBe(marked(run.number, "INPUT"));
          return;
        }
        gone.push(run);
        await expect.poll(() => isGone(service, run)).toBe(true); // the start continues the deletion
      });
      await expect.poll(() => left(gone)).toEqual([]);
      console.log(`deletes without an answer: ${gone.length} were carried out, ${whole} were not`);
    },
  };
}
