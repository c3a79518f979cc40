import { inspect } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { CarrierFault, type Taken } from "../../src/channels/carrier.ts";
import { CHANNEL_STATUSES } from "../../src/channels/channel-status.ts";

/** What can happen to something that is sent, and what may have become of it then. */
const FATES = {
  /** The carrier will never do it, and says why: a 4xx, a 5yz. */
  refused: "refused",
  /** It has too much to do: 429, 451. */
  busy: "not-sent",
  /** It doesn't take our user and password, and quotes them. */
  "not-signed-in": "not-sent",
  /** Nobody listens there. */
  unreachable: "not-sent",
  /** It is named as an address that the egress rules don't allow. */
  forbidden: "not-sent",
  /** It fails, and may have taken it: a 5xx, a connection that breaks behind the last byte. */
  down: "unknown",
  /** It never answers. */
  silent: "unknown",
  /** It answers something that nobody can read. */
  nonsense: "unknown",
} as const;

export type Trouble = keyof typeof FATES;
export type Meeting = "fine" | Trouble;

/** One way of one carrier to reach people, with a carrier behind it that does as told. */
export type Adapter = {
  /** Sends one thing, by a `key` of its own, to somebody with whom this happens. */
  send(meeting: Meeting, key: string): Promise<Taken>;
  /** How often the carrier was asked to send this. */
  asked(key: string): number;
  /** How often it said that it has it. */
  accepted(key: string): number;
  /** What it is signed in with. */
  secrets: string[];
  /** Whether the carrier says when to come again; mail servers don't. */
  says_when: boolean;
  /** For a carrier that can be asked what it took. `took`: it fails after taking it. */
  lookUp?: {
    fail(took: boolean, key: string): Promise<Taken>;
    find(what: "fine" | "failed-but-taken" | "failed", key: string, since: Date): Promise<Taken | null>;
  };
  /** For one that can't: sends, but may not hand over in the last moment. */
  sendHeld?(key: string): Promise<Taken>;
};

/**
 * What every adapter guarantees, whatever its carrier's words are; in what is unknown they differ by whether the carrier
 * `is_asked` for it or not. `open` runs once, before all.
 */
export function adapterSuite(
  name: string,
  { is_asked }: { is_asked: boolean },
  open: () => Promise<Adapter>,
): void {
  let adapter: Adapter;
  let keys = 0;
  const key = () => `${name.replaceAll(/\W/g, "").toLowerCase()}-${++keys}-key`;
  const faultOf = (sending: Promise<Taken>) =>
    sending.then(
      () => expect.fail("it was sent"),
      (error: unknown) => error as CarrierFault,
    );

  describe(name, () => {
    beforeAll(async () => {
      adapter = await open();
    });

    test("what the carrier takes is sent once, and has a name of the carrier's and a status of ours", async () => {
      const its = key();
      const taken = await adapter.send("fine", its);
      expect(taken.sid).toMatch(/\S/);
      expect(CHANNEL_STATUSES).toContain(taken.status);
      expect([adapter.asked(its), adapter.accepted(its)]).toEqual([1, 1]);
    });

    test.each(Object.entries(FATES) as [Trouble, string][])(
      "%s: is told as %s, asked for once at most, and tells no secret",
      async (trouble, fate) => {
        const its = key();
        const fault = await faultOf(adapter.send(trouble, its));
        expect(fault).toBeInstanceOf(CarrierFault);
        expect(fault).toMatchObject({ fate });
        expect(adapter.asked(its)).toBeLessThanOrEqual(1);
        expect(fault.message).toMatch(/\w+ \w+ \w+/);
        expect(fault.message.length).toBeLessThan(1000);
        const everything = inspect(fault, { depth: 20, showHidden: true });
        for (const secret of adapter.secrets) {
          expect(everything).not.toContain(secret);
          expect(everything).not.toContain(Buffer.from(secret).toString("base64"));
        }
      },
    );

    test.each(["refused", "busy", "not-signed-in", "unreachable", "forbidden"] as const)(
      "%s: the carrier does not have it",
      async (trouble) => {
        const its = key();
        await faultOf(adapter.send(trouble, its));
        expect(adapter.accepted(its)).toBe(0);
      },
    );

    test("what it will never do has a status that says why", async () => {
      expect(CHANNEL_STATUSES).toContain((await faultOf(adapter.send("refused", key()))).status);
    });

    test("what it had no time for may be sent again, when it says, and is taken then", async () => {
      const its = key();
      const fault = await faultOf(adapter.send("busy", its));
      if (adapter.says_when) expect(fault.retry_after_s).toBeGreaterThanOrEqual(0);
      expect((await adapter.send("fine", its)).sid).toMatch(/\S/);
      expect(adapter.accepted(its)).toBe(1);
    });

    test("an account that can't sign in is not asked again for minutes", async () => {
      expect((await faultOf(adapter.send("not-signed-in", key()))).retry_after_s).toBeGreaterThanOrEqual(60);
    });

    test("an address that must not be reached is not even called", async () => {
      const its = key();
      await faultOf(adapter.send("forbidden", its));
      expect(adapter.asked(its)).toBe(0);
    });

    if (is_asked) {
      const lookUp = () => adapter.lookUp as NonNullable<Adapter["lookUp"]>;

      test("what may have been taken is unknown until asked for, and then found or not", async () => {
        const since = new Date(Date.now() - 1000);
        const [taken, lost] = [key(), key()];
        expect(await faultOf(lookUp().fail(true, taken))).toMatchObject({ fate: "unknown" });
        expect(await faultOf(lookUp().fail(false, lost))).toMatchObject({ fate: "unknown" });
        expect(await lookUp().find("failed-but-taken", taken, since)).toMatchObject({
          sid: expect.stringMatching(/\S/),
        });
        expect(await lookUp().find("failed", lost, since)).toBeNull();
      });

      test("what another machine handed over is found by one whose clock is five seconds behind", async () => {
        const its = key();
        const begun_ms = Date.now();
        await faultOf(lookUp().fail(true, its));
        expect(await lookUp().find("failed-but-taken", its, new Date(begun_ms + 5_000))).toMatchObject({
          sid: expect.stringMatching(/\S/),
        });
      });

      test("what was taken before is not found for what was sent since", async () => {
        const its = key();
        await adapter.send("fine", its);
        expect(await lookUp().find("fine", its, new Date(Date.now() + 60_000))).toBeNull();
      });
    } else {
      test("what may not be handed over any more, in the last moment, is not the carrier's", async () => {
        const its = key();
        expect(await faultOf(adapter.sendHeld?.(its) as Promise<Taken>)).toBeInstanceOf(Error);
        expect(adapter.accepted(its)).toBe(0);
      });
    }
  });
}
