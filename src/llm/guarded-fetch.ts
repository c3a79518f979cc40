import { isIP } from "node:net";
import { fetch as undiciFetch } from "undici";
import { Fault, unreachable } from "../base/errors.ts";
import type { Egress } from "../egress/egress.ts";
import { type EgressRules, judgeAddress } from "../egress/egress-address.ts";
import { createPinnedPools } from "../egress/egress-pools.ts";
import { type Resolve, rememberingResolve, systemResolve } from "../egress/egress-resolve.ts";
import { targetOf } from "../egress/egress-target.ts";
import { unlessAborted } from "../egress/unless-aborted.ts";
import type { Provider } from "./catalogue.ts";
import { ModelError } from "./model.ts";

/**
 * `fetch` for a provider library, through the guard: an address that an organization names must not lead into the
 * operator's network. Whole answers only, no streams. A redirect is handed on, and libraries take it for a failure.
 */
export const guardedFetch =
  (
    egress: Egress,
    provider: Provider,
    limits: { timeout_ms: number; max_response_bytes: number },
  ): typeof fetch =>
  async (input, init) => {
    const unavailable = (why: string) =>
      new ModelError("unavailable", provider, `${new URL(String(input)).host} can't be reached: ${why}.`);
    const answer = await egress.send({
      url: String(input),
      method: "POST",
      headers: Object.fromEntries(new Headers(init?.headers)),
      body: String(init?.body ?? ""),
      ...limits,
      ...(init?.signal && { signal: init.signal }),
    });
    switch (answer.kind) {
      case "response":
        if (answer.truncated) throw unavailable(`it answers more than ${limits.max_response_bytes} bytes`);
        return new Response(new Uint8Array(answer.body), { status: answer.status, headers: answer.headers });
      case "redirect":
        return new Response(null, { status: answer.status, headers: answer.headers });
      case "timeout":
        throw unavailable(`no answer within ${limits.timeout_ms / 1000} s`);
      case "refused":
      case "failed":
        throw unavailable(answer.reason);
      default:
        return unreachable(answer);
    }
  };

/** The longest answers there are, 128,000 tokens, come to half of it with an event for each token. */
const MAX_STREAM_BYTES = 64 * 2 ** 20;

/** Provider libraries wrap it as the cause of errors of their own. */
export class EndlessAnswer extends Error {
  override readonly message = `more than ${MAX_STREAM_BYTES / 2 ** 20} MiB`;
}

/**
 * The same for answers that come as a stream, which the egress doesn't hand on: its rules, connections pinned to the
 * addresses that were judged, and an end to what is read. Nothing is followed.
 */
export function guardedStream(
  allow: EgressRules,
  resolve: Resolve = rememberingResolve(systemResolve, () => performance.now()),
): typeof fetch {
  const pools = createPinnedPools();
  return async (input, init) => {
    const target = targetOf(String(input), []);
    if (target.kind !== "host")
      throw new Fault("refused", target.kind === "refused" ? target.reason : "no such address");
    const { host, port, origin } = target;
    const addresses =
      isIP(host) === 0 ? await unlessAborted(resolve(host), init?.signal ?? undefined) : [host];
    for (const address of addresses) {
      const verdict = judgeAddress(address, host, port, allow);
      if (verdict.kind === "denied")
        throw new Fault(
          "refused",
          `${host === address ? "the address" : "an address of"} ${host} ${verdict.why}`,
        );
    }
    const dispatcher = pools.get(origin, { kind: "addresses", addresses });
    const options = { ...init, redirect: "manual", dispatcher };
    const response = await undiciFetch(String(input), options as never);
    const { status, statusText, headers } = response;
    const body = response.body?.pipeThrough(limited()) ?? null;
    return new Response(body as never, { status, statusText, headers: Object.fromEntries(headers) });
  };
}

function limited(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > MAX_STREAM_BYTES) throw new EndlessAnswer();
      controller.enqueue(chunk);
    },
  });
}
