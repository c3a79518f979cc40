import { describe, expect, test } from "vitest";
import { CarrierFault, type Taken } from "../../src/channels/carrier.ts";
import { CHANNEL_STATUSES } from "../../src/channels/channel-status.ts";

/** Recipients that every carrier's test double knows. */
export type Recipient =
  /** Is reached. */
  | "fine"
  /** The carrier will never reach them, and says why. */
  | "refused"
  /** The carrier has too much to do at the first try. */
  | "too-many"
  /** The carrier fails after taking it. */
  | "failed-but-taken"
  /** The carrier fails and did not take it. */
  | "failed";

/** One way of one carrier to reach people, as the suite asks for it. A `key` is new for each thing that is sent. */
export type Adapter = {
  send(to: Recipient, key: string): Promise<Taken>;
  /** Left out where the carrier can't be asked. */
  find?(to: Recipient, key: string, since: Date): Promise<Taken | null>;
  /** Left out where the carrier knows no such thing. */
  knows: Recipient[];
};

/** What every adapter does alike, whatever its carrier's words are. */
export function adapterSuite(name: string, adapter: () => Adapter): void {
  let keys = 0;
  const key = () => `${name}-${++keys}`;
  const faultOf = (to: Recipient, its = key()) =>
    adapter()
      .send(to, its)
      .then(
        () => expect.fail("it was sent"),
        (error: unknown) => error as CarrierFault,
      );
  const knows = (to: Recipient) => adapter().knows.includes(to);

  describe(name, () => {
    test("what the carrier takes has a name of the carrier's and a status of ours", async () => {
      const taken = await adapter().send("fine", key());
      expect(taken.sid).toMatch(/\S/);
      expect(CHANNEL_STATUSES).toContain(taken.status);
    });

    test("what it will never do is refused, with a status that says why", async () => {
      const fault = await faultOf("refused");
      expect(fault).toBeInstanceOf(CarrierFault);
      expect(fault).toMatchObject({ fate: "refused", status: expect.any(String) });
      expect(CHANNEL_STATUSES).toContain(fault.status);
    });

    test("what it had no time for was not sent, may be tried again when it says, and is taken then", async ({
      skip,
    }) => {
      if (!knows("too-many")) skip("this carrier knows no such thing");
      const fault = await faultOf("too-many");
      expect(fault).toMatchObject({ fate: "not-sent", retry_after_s: expect.any(Number) });
      expect((await adapter().send("too-many", key())).sid).toMatch(/\S/);
    });

    test("what may have been taken is unknown until asked for, and then found or not", async ({ skip }) => {
      const { find } = adapter();
      if (!find || !knows("failed-but-taken")) skip("this carrier can't be asked");
      const since = new Date(Date.now() - 1000);
      const [taken, lost] = [key(), key()];
      expect(await faultOf("failed-but-taken", taken)).toMatchObject({ fate: "unknown" });
      expect(await faultOf("failed", lost)).toMatchObject({ fate: "unknown" });
      expect(await find?.("failed-but-taken", taken, since)).toMatchObject({
        sid: expect.stringMatching(/\S/),
      });
      expect(await find?.("failed", lost, since)).toBeNull();
    });

    test("what was taken before is not found for what was sent since", async ({ skip }) => {
      const { find } = adapter();
      if (!find) skip("this carrier can't be asked");
      const its = key();
      await adapter().send("fine", its);
      expect(await find?.("fine", its, new Date(Date.now() + 60_000))).toBeNull();
    });

    test("no fault tells a secret", async () => {
      const { message } = await faultOf("refused");
      expect(message).not.toMatch(/secret|basic /i);
    });
  });
}
