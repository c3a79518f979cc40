import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { limitedBy } from "../../api/client-address.ts";
import type { Api } from "../../api/server.ts";
import { Fault } from "../../base/errors.ts";
import type { Tx } from "../../db/database.ts";
import { asActor, auditFailedSignIn, placeOf } from "../audit/sign-in-audit.ts";
import { refusePassword } from "../single-sign-on/enforced.ts";
import { type AttemptLimit, countAttempt, uncountAttempt } from "./attempt-count.ts";
import { beginSignIn, lockPerson, rememberSignIn } from "./begin-sign-in.ts";
import { type FactorGate, PASSKEY_REFUSED } from "./factor-gate.ts";
import { findPasskey, type PasskeyDeps, provePasskey, requestOptions, spendPasskey } from "./passkey.ts";
import { PasskeyAnswer } from "./passkey-schema.ts";
import { countFactorTry } from "./second-factor.ts";

const FIVE_MINUTES_MS = 5 * 60_000;
/** Wrong answers from one address, and from all that stand behind a proxy nobody declared: as with passwords. */
const MOST = { address: 30, proxy: 300 };

type Deps = PasskeyDeps & { publicUrl: string; gate: FactorGate };

/** Signing in with a passkey alone: the device is one factor, and its own code, finger or face the other. */
export function passkeySignInRoutes(api: Api, deps: Deps): void {
  const { db, clock, vault, publicUrl, party, gate } = deps;
  const tag = "console";

  api.post(
    "/api/console/passkey/begin",
    {
      summary: "Begin a sign-in with a passkey",
      tag,
      permission: "public",
      hidden: true,
      body: z.object({}),
    },
    async () => ({
      options: party ? await requestOptions(deps, { use: "sign-in", user_id: null }) : null,
    }),
  );

  /** Counted before it is looked at, for the address and for whom it claims to be of. Resolves with what takes both back. */
  async function count(request: FastifyRequest, user_id: number | null): Promise<() => Promise<void>> {
    const limits = limitsOf(request);
    const counted = await countAttempt(db, clock.now(), limits);
    for (const { key, most } of limits) {
      const { count, window_ends } = counted.get(key) ?? { count: 0, window_ends: clock.now() };
      if (count <= most) continue;
      const retry_after_s = Math.max(1, Math.ceil((window_ends.getTime() - clock.now().getTime()) / 1000));
      throw new Fault(
        "too-many",
        `Too Many Requests: too many passkeys from here were not accepted. Try again in ${retry_after_s} s, or sign in another way.`,
        { retry_after_s },
      );
    }
    const right = user_id === null ? null : await countFactorTry(deps, user_id);
    const keys = limits.map(({ key }) => key);
    return async () => {
      await uncountAttempt(db, keys);
      await right?.();
    };
  }

  api.post(
    "/api/console/passkey",
    {
      summary: "Sign in to the console with a passkey",
      tag,
      permission: "public",
      hidden: true,
      body: z.object({ passkey: PasskeyAnswer }),
    },
    async ({ body, request, reply }) => {
      const known = await findPasskey(db, body.passkey.id);
      const right = await count(request, known?.user_id ?? null);
      const refused = async () => {
        const places = known ? [await placeOf(db, known.user_id)] : [];
        await auditFailedSignIn(db, clock, { request, places, means: "passkey", isAttacked: false });
        return new Fault("not-authenticated", PASSKEY_REFUSED);
      };
      const proof = await provePasskey(deps, { use: "sign-in", user_id: null }, body.passkey);
      if (proof === null) throw await refused();
      const signedIn = await db.transaction().execute(async (tx: Tx) => {
        await lockPerson(tx, proof.user_id);
        await refusePassword(tx, proof.user_id);
        const verdict = await spendPasskey(tx, clock, proof);
        if (verdict !== "passkey") return verdict;
        const place = await placeOf(tx, proof.user_id);
        await api.audit(tx, asActor(place, request), {
          action: "sign-in",
          resource: "users",
          resource_id: place.id,
          after: { email: place.email, with: "passkey" },
        });
        const cookie = await beginSignIn(tx, { clock, request }, { userId: place.id, bound: null });
        return { cookie, email: place.email.toLowerCase() };
      });
      if (signedIn === "cloned") await gate.lock(request, proof);
      if (typeof signedIn === "string") throw await refused();
      await right();
      rememberSignIn(reply, { vault, publicUrl }, signedIn);
      return { signed_in: true };
    },
  );
}

function limitsOf(request: FastifyRequest): AttemptLimit[] {
  const { group, shared } = limitedBy(request);
  const window_ms = FIVE_MINUTES_MS;
  return [
    { key: `passkey ${group}`, most: MOST.address, window_ms },
    ...(shared === null ? [] : [{ key: `passkey proxy ${shared}`, most: MOST.proxy, window_ms }]),
  ];
}
