import { pipeline, type Readable, Transform } from "node:stream";
import { Fault } from "../base/errors.ts";
import type { HeldBytes } from "../mime/held-bytes.ts";

/** A body that is being posted by a mail service: it is counted, hashed as it comes, and has to end in time. */
export type PostedBody = { stream: Readable; end(): void };

/** Mail services post from data centers: one that pauses, or sends a form slower than this, is none. */
export type BodyLimits = { pause_ms: number; whole_ms: number };
export const BODY_LIMITS: BodyLimits = { pause_ms: 10_000, whole_ms: 60_000 };

/** What of it is in memory counts for `owner` until `end`. Services send again what is answered 503. */
export function postedBody(
  body: Readable,
  { held, owner, limits }: { held: HeldBytes; owner: string; limits: BodyLimits },
  onChunk: (chunk: Buffer) => void,
): PostedBody {
  let kept = 0;
  const late = () =>
    stream.destroy(Object.assign(new Fault("unavailable", "The body came too slowly."), { statusCode: 503 }));
  const whole = setTimeout(late, limits.whole_ms);
  let pause = setTimeout(late, limits.pause_ms);
  const stop = () => {
    clearTimeout(whole);
    clearTimeout(pause);
  };
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      clearTimeout(pause);
      pause = setTimeout(late, limits.pause_ms);
      if (!held.take(chunk.length, owner)) {
        const busy = new Fault("unavailable", "Too many mails at once; send it again later.", {
          retry_after_s: 30,
        });
        return done(Object.assign(busy, { statusCode: 503 }));
      }
      kept += chunk.length;
      onChunk(chunk);
      done(null, chunk);
    },
    flush(done) {
      stop();
      done();
    },
  });
  pipeline(body, stream, () => {});
  return {
    stream,
    end() {
      stop();
      held.give(kept, owner);
      kept = 0;
    },
  };
}
