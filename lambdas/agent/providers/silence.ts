/**
 * Milliseconds without a byte after which a model server is given up. Servers that stream send something every few
 * seconds, but one that thinks first, or reads a long prompt on a small machine, is silent for minutes; 240 s is below
 * the 300 s at which `fetch` itself gives up, and fits into the 300 s that `advance` keeps for its last step.
 */
export const silenceLimit = 240_000;

/** The server sent nothing for too long. */
export class Silence extends Error {
  constructor(milliseconds: number) {
    super(`nothing came for ${milliseconds / 1_000} seconds`);
    this.name = "Silence";
  }
}

/**
 * A `fetch` that gives a server up when nothing comes from it for `milliseconds`: no head of an answer, or no further
 * byte of its body. The connection is closed then, and the call or the reading of the body rejects with `Silence`.
 */
export function fetchUnlessSilent(milliseconds: number): typeof fetch {
  return async (input, init) => {
    const silent = new AbortController();
    const timer = setTimeout(() => silent.abort(new Silence(milliseconds)), milliseconds);
    const end = () => clearTimeout(timer);
    init?.signal?.addEventListener("abort", end, { once: true });
    const signal = init?.signal ? AbortSignal.any([init.signal, silent.signal]) : silent.signal;
    let response: Response;
    try {
      response = await fetch(input, { ...init, signal });
    } catch (error) {
      end();
      throw error;
    }
    if (!response.body) {
      end();
      return response;
    }
    timer.refresh();
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          timer.refresh();
          controller.enqueue(chunk);
        },
        flush: end,
        cancel: end,
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}
