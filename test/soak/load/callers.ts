import { Numbers } from "../../fixtures/reading-tasks/task.ts";
import { type KilledService, Unanswered } from "./killed-service.ts";

/** Work of one kind: what callers send again and again, and what must hold for what was acknowledged. */
export interface Work {
  name: string;
  callers: number;
  /** One round of a caller. It ends early when a response is lost, unless it may send the request again. */
  round(service: KilledService, numbers: Numbers): Promise<void>;
  /** How much was acknowledged so far. */
  acknowledged(): number;
  /** Checks the first `count` that were acknowledged. `service`: has the data. */
  check(service: KilledService, count: number): Promise<void>;
}

/** The seed of what is random: `AGENT_RUNS_TEST_SEED`, or another one each time. */
export const seed = Number(process.env["AGENT_RUNS_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 32));

/** Sends all kinds of work until it is stopped. */
export class Callers {
  #isStopped = false;
  readonly #ended: Promise<void>;
  readonly #failed = Promise.withResolvers<never>();

  constructor(service: KilledService, works: Work[]) {
    const callers = works.flatMap((work) => Array.from({ length: work.callers }, () => work));
    const loops = callers.map(async (work, index) => {
      const numbers = new Numbers(seed + index + 1);
      while (!this.#isStopped) {
        try {
          await work.round(service, numbers);
        } catch (error) {
          if (!(error instanceof Unanswered)) throw error;
        }
      }
    });
    this.#failed.promise.catch(() => {}); // it is also seen by who waits
    this.#ended = Promise.all(loops).then(
      () => {},
      (error: Error) => {
        this.#isStopped = true;
        this.#failed.reject(error);
      },
    );
  }

  /** Waits for something, unless a caller fails first. */
  during<T>(event: Promise<T>): Promise<T> {
    return Promise.race([event, this.#failed.promise]);
  }

  /** Lets all callers end their rounds. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.during(this.#ended);
  }
}

/** Does something for all, a few at the same time. */
export async function forAll<Each>(all: Iterable<Each>, act: (each: Each) => Promise<void>): Promise<void> {
  const rest = [...all].values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const each of rest) await act(each);
    }),
  );
}
