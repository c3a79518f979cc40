import type { FastifyRequest } from "fastify";
import { loggedPath } from "../../api/logged-path.ts";
import { Fault } from "../../base/errors.ts";
import { isSignedByTwilio, type TwilioForm } from "../../carriers/twilio/twilio-signature.ts";
import type { Carriers } from "../../channels/carrier.ts";
import { carrierOfChannel } from "../../channels/channel-carrier.ts";
import type { Engine } from "../../sessions/engine.ts";

/** How long a channel's token is cached; a signature that doesn't fit it causes a fresh read. */
const REMEMBERED_MS = 5000;
const MOST_REMEMBERED = 1000;

type Account = NonNullable<Awaited<ReturnType<typeof carrierOfChannel>>>;

type TwilioSigners = {
  /** The name of the carrier that signed this form for this URL; a Fault when no carrier of the channel did. */
  signerOf(channel_id: number, request: FastifyRequest, url: string, form: TwilioForm): Promise<string>;
};

/**
 * Verifies which carrier signed a request. A thousand callbacks a second belong to a few channels, so accounts are cached
 * for a moment; a signature that doesn't fit the cached account is checked against the stored one.
 */
export function twilioSigners({
  engine,
  carriers,
}: {
  engine: Pick<Engine, "db" | "log">;
  carriers: Carriers;
}): TwilioSigners {
  const { db, log } = engine;
  const remembered = new Map<number, { account: Account; until: number }>();

  const look = async (channel_id: number): Promise<Account | null> => {
    const account = await carrierOfChannel({ db, carriers }, channel_id);
    if (account) {
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      remembered.set(channel_id, { account, until: performance.now() + REMEMBERED_MS });
    }
    return account;
  };

  return {
    async signerOf(channel_id, request, url, form) {
      const signature = request.headers["x-twilio-signature"];
      const fits = (account: Account | null | undefined) =>
        isSignedByTwilio(account?.account.credentials.auth_token, signature, url, form);
      const known = remembered.get(channel_id);
      if (known && known.until > performance.now() && fits(known.account)) return known.account.carrier.name;
      const account = signature === undefined ? null : await look(channel_id);
      if (account && fits(account)) return account.carrier.name;
      const why = signature === undefined ? "no signature" : account ? "wrong signature" : "no such channel";
      log.warn(
        { channel_id, url: loggedPath(request.url), address: request.ip, why },
        "an unsigned callback was refused",
      );
      throw new Fault(
        "forbidden",
        "This is not signed by the channel's carrier account (X-Twilio-Signature).",
      );
    },
  };
}
