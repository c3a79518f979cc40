import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../../api/caller.ts";
import { write } from "../../api/resource.ts";
import { Deleted, recordId } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import { Fault, notFound } from "../../base/errors.ts";
import { askCarrier } from "../../channels/ask-carrier.ts";
import type {
  CarrierAccount,
  CarrierNumber,
  CarrierNumbers,
  Carriers,
  SharedAccount,
} from "../../channels/carrier.ts";
import { findChannel } from "../../channels/channel.ts";
import { wholeNumber } from "../../channels/number-owner.ts";
import { claimNumber } from "../../channels/number-ownership.ts";
import { alone } from "../../db/alone.ts";
import type { Db } from "../../db/database.ts";
import { forgetNumber, refuseInUse } from "./given-back-number.ts";

const friendlyName = () => z.string().min(1).max(64);

const TwilioPhoneNumber = z
  .object({ sid: z.string(), phone_number: z.string(), friendly_name: z.string(), trunk_sid: z.string() })
  .meta({ id: "TwilioPhoneNumber" });
const TwilioListNumbersResponse = z
  .object({ phone_numbers: z.array(TwilioPhoneNumber) })
  .meta({ id: "TwilioListNumbersResponse" });
const TwilioNumberAddRequest = z
  .object({
    friendly_name: friendlyName(),
    area_code: z
      .string()
      .refine((text) => /^\d{3}$/.test(text), { error: "Input should be an area code of three digits" }),
  })
  .meta({ id: "TwilioNumberAddRequest" });
const TwilioNumberUpdateRequest = z
  .object({ friendly_name: friendlyName(), phone_sid: z.string().min(1).max(64) })
  .meta({ id: "TwilioNumberUpdateRequest" });
const TwilioNumberResponse = z.object({ phone_number: z.string() }).meta({ id: "TwilioNumberResponse" });
const A2pMessagingPathCheckRequest = z
  .object({ phone: wholeNumber() })
  .meta({ id: "A2pMessagingPathCheckRequest" });
const A2pMessagingPathCheckResponse = z
  .object({ a2p_approved: z.boolean() })
  .meta({ id: "A2pMessagingPathCheckResponse" });

type Deps = {
  db: Db;
  clock: Clock;
  carriers: Carriers;
  /** Whether organizations may buy on the operator's account. */
  tenantsBuy: boolean;
};

/** The numbers of a carrier account; each one the carrier tells us of can be claimed by channel targets (`carrier-numbers.ts`). */
export function twilioNumberRoutes(api: Api, { db, clock, carriers, tenantsBuy }: Deps): void {
  const path = "/api/v1/channels/twilio/:channel_id/numbers";
  const tag = "channels";
  const params = z.object({ channel_id: recordId() });

  /** The carrier's account behind the caller's channel; no transaction is open while the carrier is asked. */
  const accountOf = async (
    caller: Caller,
    id: number,
  ): Promise<[CarrierNumbers, CarrierAccount, SharedAccount | undefined]> => {
    const channel = await findChannel(db, caller, id);
    const found = await carriers.of(channel);
    const numbers = found?.carrier.numbers;
    // Of SIP channels those whose carrier lists its numbers, too; the path is older than they are.
    if (channel.channel_service !== "twilio" && !(channel.channel_service === "sip" && numbers))
      throw notFound("Twilio channel", id);
    if (!numbers) {
      throw new Fault(
        "unsupported",
        `This installation has no connection to the carrier of channel "${channel.name}" (${channel.channel_service}), so its numbers can't be managed from here.`,
      );
    }
    return [numbers, found.account, found.shared];
  };

  const isOperator = (caller: Caller) => caller.permissions.has("platform_admin");
  /** On the operator's account, which pays for it. */
  const mayBuy = (caller: Caller) => tenantsBuy || isOperator(caller);

  const record = (caller: Caller, channel_id: number, action: "create" | "update", after: CarrierNumber) =>
    write(db, "Number", async (tx) => {
      await tx
        .insertInto("channel_addresses")
        .values({
          organization_id: caller.organization_id,
          channel_id,
          target: after.phone_number,
          created_at: clock.now().toISOString(),
        })
        .onConflict((conflict) => conflict.columns(["channel_id", "target"]).doNothing())
        .execute();
      await api.audit(tx, caller, { action, resource: "numbers", resource_id: after.sid, after });
      return { phone_number: after.phone_number };
    });

  /** Of the operator's account, one's own or nobody's; another organization's is as one that isn't there. */
  const attachOwn = async (
    caller: Caller,
    account: CarrierAccount,
    shared: SharedAccount,
    sid: string,
    attach: () => Promise<CarrierNumber>,
  ): Promise<CarrierNumber> => {
    const all = await askCarrier(shared.numbers.list(account));
    const wanted = all.find((each) => each.sid === sid)?.phone_number;
    if (wanted === undefined) throw new Fault("not-found", `Number ${sid} not found`);
    // One at a time in an organization: a claim that a failed attachment takes back is never that of one that succeeded.
    const lock = sql`hashtextextended(${`attach/${caller.organization_id}/${wanted}`}, 0)`;
    const attached = await alone(db, lock, async (connection) => {
      // Claimed before the carrier is told: of two that attach it at once only one has its calls led to it.
      const claim = await claimNumber(connection, clock, caller, wanted);
      if (claim === "theirs") throw new Fault("not-found", `Number ${sid} not found`);
      try {
        return await attach();
      } catch (error) {
        if (claim === "claimed")
          await connection
            .deleteFrom("number_owners")
            .where("number", "=", wanted)
            .where("organization_id", "=", caller.organization_id)
            .execute();
        throw error;
      }
    });
    if (attached === null)
      throw new Fault("conflict", `${wanted} is being attached by another request. Try again in a moment.`);
    return attached;
  };

  api.get(
    path,
    {
      summary: "List the numbers of a carrier account",
      description:
        "Of a Twilio channel, or of a SIP channel that Telnyx carries. Channel targets may claim any number listed here. Of the operator's account only one's own are listed.",
      tag,
      permission: "channels_read",
      params,
      response: TwilioListNumbersResponse,
    },
    async ({ caller, params }) => {
      const [numbers, account, shared] = await accountOf(caller, params.channel_id);
      // The operator sees what is others' too, to assign it.
      const seen = shared && isOperator(caller) ? shared.numbers : numbers;
      return { phone_numbers: await askCarrier(seen.list(account)) };
    },
  );

  api.post(
    path,
    {
      summary: "Buy a number",
      tag,
      permission: "channels_write",
      params,
      body: TwilioNumberAddRequest,
      response: TwilioNumberResponse,
    },
    async ({ caller, params, body }) => {
      const [numbers, account, shared] = await accountOf(caller, params.channel_id);
      if (shared && !mayBuy(caller)) {
        throw new Fault(
          "forbidden",
          "Numbers of the operator's account are bought by the operator of this installation. Ask for one, or give the channel an account of your own.",
        );
      }
      const bought = await askCarrier(numbers.buy(account, body));
      // Before anything else is stored: what was paid for is never nobody's.
      if (shared) await claimNumber(db, clock, caller, bought.phone_number);
      return record(caller, params.channel_id, "create", bought);
    },
  );

  api.put(
    path,
    {
      summary: "Attach a number of the account again",
      tag,
      permission: "channels_write",
      params,
      body: TwilioNumberUpdateRequest,
      response: TwilioNumberResponse,
    },
    async ({ caller, params, body }) => {
      const [numbers, account, shared] = await accountOf(caller, params.channel_id);
      const { phone_sid: sid, friendly_name } = body;
      const attach = () => askCarrier(numbers.attach(account, { sid, friendly_name }));
      const attached = shared ? await attachOwn(caller, account, shared, sid, attach) : await attach();
      return record(caller, params.channel_id, "update", attached);
    },
  );

  api.delete(
    `${path}/:number`,
    {
      summary: "Give a number back to its carrier",
      description:
        "For good: it costs nothing any more, and somebody else may get it. Refused while an agent answers at it; asking again after an error does no harm.",
      tag,
      permission: "channels_delete",
      params: params.extend({ number: wholeNumber() }),
      response: Deleted,
    },
    async ({ caller, params }) => {
      const [own, account, shared] = await accountOf(caller, params.channel_id);
      if (shared && !mayBuy(caller)) {
        throw new Fault(
          "forbidden",
          "Numbers of the operator's account are given back by the operator of this installation. You can release yours to the operator.",
        );
      }
      await refuseInUse(db, caller, params.number, shared !== undefined);
      const numbers = shared && isOperator(caller) ? shared.numbers : own;
      const listed = await askCarrier(numbers.list(account));
      const wanted = listed.find(({ phone_number }) => phone_number === params.number);
      if (wanted) await askCarrier(numbers.release(account, wanted.sid));
      // What only we have of it is left of a release whose process died.
      return write(db, "Number", async (tx) => {
        const forgotten = await forgetNumber(tx, caller, params, clock.now());
        if (!wanted && !forgotten) throw notFound("Number", params.number);
        const before = wanted ?? { phone_number: params.number };
        await api.audit(tx, caller, {
          action: "delete",
          resource: "numbers",
          resource_id: params.number,
          before,
        });
        return { success: true };
      });
    },
  );

  api.post(
    `${path}/verify-a2p-compliance`,
    {
      summary: "Check whether US carriers deliver texts from a number",
      description: "The outcome is kept as `a2p_verified` of the channel targets that have this number.",
      tag,
      permission: "channels_write",
      params,
      body: A2pMessagingPathCheckRequest,
      response: A2pMessagingPathCheckResponse,
    },
    async ({ caller, params, body }) => {
      const [numbers, account] = await accountOf(caller, params.channel_id);
      const a2p_approved = await askCarrier(numbers.isA2pApproved(account, body.phone));
      return write(db, "Channel target", async (tx) => {
        const targets = await tx
          .updateTable("channel_targets")
          .set({
            a2p_verified: a2p_approved,
            updated_at: clock.now().toISOString(),
            last_updated_by: caller.email,
          })
          .where("channel_id", "=", params.channel_id)
          .where("target", "=", body.phone)
          .where("sub_organization_id", "=", caller.sub_organization_id)
          .returning("id")
          .execute();
        const after = { phone: body.phone, a2p_approved, target_ids: targets.map(({ id }) => id) };
        await api.audit(tx, caller, {
          action: "verify-a2p",
          resource: "channels",
          resource_id: params.channel_id,
          after,
        });
        return { a2p_approved };
      });
    },
  );
}
