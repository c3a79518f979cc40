import { z } from "zod";
import { escapeHtml, plainPage } from "../api/plain-page.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { CarrierSignal } from "../channels/carrier.ts";
import type { Db } from "../db/database.ts";
import { readUnsubscribeToken, type UnsubscribeClaim } from "../mime/mail-token.ts";
import { suppress } from "./suppression.ts";

type Deps = {
  db: Db;
  clock: Clock;
  vault: Vault;
  /** Tells campaigns what became of the mail whose link it was. */
  onSignals(signals: CarrierSignal[]): Promise<void>;
};

/**
 * Where the link below a mail leads. Mail programs post to it when the person clicks "unsubscribe" (RFC 8058); a person
 * who opens it sees a page with a button, and nothing has happened yet: programs that look at every link in a mail
 * unsubscribe nobody.
 */
export function optOutLinkRoutes(api: Api, deps: Deps): void {
  const path = "/unsubscribe/:token";
  const params = z.object({ token: z.string().max(900) });
  // A large mail provider posts for all its users from a few addresses.
  const open = {
    tag: "suppressions",
    permission: "public",
    hidden: true,
    params,
    calls_per_minute: 120,
  } as const;

  api.get(path, { ...open, summary: "Ask whether to unsubscribe" }, ({ params, reply }) => {
    const claim = readUnsubscribeToken(deps.vault, params.token);
    reply
      .code(claim ? 200 : 404)
      .type("text/html; charset=utf-8")
      .header("cache-control", "no-store");
    return reply.send(
      claim ? askPage(claim) : plainPage("This link is not valid", "<p>It may have been cut off.</p>"),
    );
  });

  api.post(
    path,
    {
      ...open,
      summary: "Unsubscribe",
      form: { type: "application/x-www-form-urlencoded" },
      // `List-Unsubscribe=One-Click`, or nothing; the token says all.
      body: z.looseObject({}),
    },
    async ({ params, reply }) => {
      const claim = readUnsubscribeToken(deps.vault, params.token);
      reply.type("text/html; charset=utf-8").header("cache-control", "no-store");
      if (!claim)
        return reply.code(404).send(plainPage("This link is not valid", "<p>It may have been cut off.</p>"));
      await unsubscribe(deps, claim);
      const done = `<p>${escapeHtml(claim.address)} will not be written to again.</p>`;
      return reply.send(plainPage("You are unsubscribed", done));
    },
  );
}

async function unsubscribe({ db, clock, onSignals }: Deps, claim: UnsubscribeClaim): Promise<void> {
  const at = clock.now();
  const { sub_organization_id, address, key } = claim;
  const proof = {
    at,
    through: "link",
    said: "List-Unsubscribe=One-Click",
    session_id: null,
    message_id: key,
  } as const;
  await db
    .transaction()
    .execute((tx) =>
      suppress(tx, [{ sub_organization_id, address, scope: "all", reason: "unsubscribed", proof }], at),
    );
  await onSignals([
    { key, sid: key, status: "UNSUBSCRIBED", word: "unsubscribe", error_code: null, is_transient: null, at },
  ]);
}

const askPage = ({ address }: UnsubscribeClaim): string =>
  plainPage(
    "Unsubscribe",
    `<p>Should ${escapeHtml(address)} not be written to any more?</p><form method="post"><button>Unsubscribe</button></form>`,
  );
