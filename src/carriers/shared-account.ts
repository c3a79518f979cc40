import { type Carrier, type CarrierAccount, CarrierFault, type CarrierNumbers } from "../channels/carrier.ts";
import { ownedOf } from "../channels/number-ownership.ts";
import type { Db } from "../db/database.ts";

/**
 * The operator's account as one organization among others sees it: its own numbers are listed, called from and texted
 * from, and no other's.
 */
export function ownNumbersOnly(carrier: Carrier, db: Db): Carrier {
  const organizationOf = async ({ channel_id }: CarrierAccount): Promise<number> =>
    (
      await db
        .selectFrom("channels")
        .select("organization_id")
        .where("id", "=", channel_id)
        .executeTakeFirstOrThrow()
    ).organization_id;

  const requireOwn = async (account: CarrierAccount, numbers: (string | null)[]): Promise<void> => {
    const wanted = numbers.filter((number) => number !== null);
    const own = await ownedOf(db, await organizationOf(account), wanted);
    const foreign = wanted.find((number) => !own.has(number));
    if (foreign === undefined) return;
    throw new CarrierFault(`${foreign} is not a number of this organization.`, "refused", {
      status: "DELIVERY_FAILED",
      ours: "source",
    });
  };

  const { numbers, calls, texts } = carrier;
  return {
    ...carrier,
    ...(numbers && { numbers: ownNumbers(numbers) }),
    ...(calls && {
      calls: {
        ...calls,
        async place(account, call) {
          await requireOwn(account, [call.from, call.caller_id]);
          return calls.place(account, call);
        },
      },
    }),
    ...(texts && {
      texts: {
        ...texts,
        async send(account, text) {
          await requireOwn(account, [text.from]);
          return texts.send(account, text);
        },
      },
    }),
  };

  function ownNumbers(all: CarrierNumbers): CarrierNumbers {
    return {
      ...all,
      async list(account) {
        const listed = await all.list(account);
        const own = await ownedOf(
          db,
          await organizationOf(account),
          listed.map(({ phone_number }) => phone_number),
        );
        return listed.filter(({ phone_number }) => own.has(phone_number));
      },
      async isA2pApproved(account, phone_number) {
        await requireOwn(account, [phone_number]);
        return all.isA2pApproved(account, phone_number);
      },
    };
  }
}
