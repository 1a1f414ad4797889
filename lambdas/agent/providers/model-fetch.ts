/**
 * Milliseconds without a byte after which a model server is given up. Servers that stream send something every few
 * seconds, but one that thinks first, or reads a long prompt on a small machine, is silent for minutes; 240 s is below
 * the 300 s at which `fetch` itself gives up, and fits into the 300 s that `advance` keeps for its last step.
 */
const silenceLimit = 240_000;

/**
 * Bytes of one answer on the wire. A chunk for each token has some 250 bytes with all around it, so that 128,000 tokens
 * take 32 MB; a server that never ends would take all the memory there is.
 */
const answerLimit = 64 * 1024 * 1024;
/** Characters of the longest last line, with the line breaks around it. */
const longestLast = 200;
/** Bytes that are read of an error, of which a sentence is kept. */
const errorLimit = 256 * 1024;

/** The server sent nothing for too long. */
export class Silence extends Error {
  constructor(milliseconds: number) {
    super(`nothing came for ${milliseconds / 1_000} seconds`);
    this.name = "Silence";
  }
}

/** What answered is another server than the provider's, or answers in another way. */
export class OtherContent extends Error {
  constructor(type: string) {
    super(`its content is ${type}`);
    this.name = "OtherContent";
  }
}

/** The answer has no end. */
export class TooLong extends Error {
  constructor(bytes: number) {
    super(`it has more than ${bytes} bytes`);
    this.name = "TooLong";
  }
}

/**
 * A `fetch` for model servers. It gives a server up when nothing comes from it for `silence` milliseconds, no head of
 * an answer or no further byte of its body: the connection is closed then, and the call or the reading of the body
 * rejects with `Silence`. An answer whose content type does not match `type` rejects with `OtherContent`, reading
 * one that is too long with `TooLong`; an error is cut off there. Redirections are not followed, but are the answer.
 *
 * `last`: what the last line of an answer is. The body ends with it, whatever becomes of the connection: an answer that
 * is complete and paid for is not given up because a proxy keeps its connection open, or breaks it.
 */
export function modelFetch({
  silence = silenceLimit,
  type,
  last,
}: {
  silence?: number | undefined;
  type: RegExp;
  last?: RegExp;
}): typeof fetch {
  return async (input, init) => {
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(new Silence(silence)), silence);
    const stop = () => clearTimeout(timer);
    init?.signal?.addEventListener("abort", stop, { once: true });
    const signal = init?.signal ? AbortSignal.any([init.signal, end.signal]) : end.signal;
    let response: Response;
    try {
      // Another address may be another server, for which the credentials are not.
      response = await fetch(input, { ...init, signal, redirect: "manual" });
    } catch (error) {
      stop();
      throw error;
    }
    const { status, statusText, headers } = response;
    const contentType = headers.get("content-type");
    if (response.ok && contentType !== null && !type.test(contentType)) {
      stop();
      const error = new OtherContent(contentType);
      end.abort(error); // closes the connection
      throw error;
    }
    if (!response.body) {
      stop();
      return response;
    }
    timer.refresh();
    const { ok } = response;
    const most = ok ? answerLimit : errorLimit;
    let size = 0;
    let tail = "";
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          timer.refresh();
          size += chunk.length;
          if (size <= most) {
            controller.enqueue(chunk);
            if (!ok || !last) return;
            tail = (tail + Buffer.from(chunk).toString("latin1")).slice(-longestLast);
            if (!last.test(tail)) return;
            stop();
            return controller.terminate(); // closes the connection
          }
          stop();
          if (ok) controller.error(new TooLong(most));
          else controller.terminate();
        },
        flush: stop,
        cancel: stop,
      }),
    );
    return new Response(body, { status, statusText, headers });
  };
}
