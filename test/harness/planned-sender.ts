import { CarrierFault, type CarrierSignal, type FailureReason } from "../../src/channels/carrier.ts";
import type { ChannelStatus } from "../../src/channels/channel-status.ts";
import {
  type Outreach,
  type OutreachSender,
  requireGo,
  type Senders,
  type SentOutreach,
} from "../../src/channels/outreach.ts";

/** What the world makes of one try: what comes of handing it over, and what the carrier tells of it later. */
export type Plan = {
  /** As `CarrierFault`; "lost": the carrier has it, and the answer never comes. "crash": an error nobody foresaw. */
  send?: "taken" | "refused" | "refused-ours" | "refused-country" | "not-sent" | "unknown" | "lost" | "crash";
  /** Of a refusal. */
  refused_as?: ChannelStatus;
  /** Of a refusal, as the carrier words it. */
  refused_because?: string;
  /** How it stands when it was taken. */
  first?: ChannelStatus;
  /** What the carrier tells, in the order in which it happens. */
  tells?: ChannelStatus[];
  is_transient?: boolean | null;
  /** Why the last of `tells` is a fault of ours. */
  our_fault?: string;
};

export type Taken = { outreach: Outreach; at: Date; statuses: ChannelStatus[]; plan: Plan };

export const word = (
  key: string,
  status: ChannelStatus,
  at: Date,
  more: Partial<CarrierSignal> = {},
): CarrierSignal => ({
  key,
  sid: `sid-${key}`,
  status,
  word: status.toLowerCase(),
  error_code: null,
  is_transient: null,
  at,
  ...more,
});

/**
 * A stand-in for the world outside: carriers and the people behind them, who do what a test plans. It keeps what it was
 * handed, and can be asked for it, as a carrier can.
 */
export function plannedWorld(now: () => Date, plan: (outreach: Outreach, tries: number) => Plan) {
  const taken = new Map<string, Taken>();
  /** Everything that was handed over, also what it didn't take. */
  const handed: Outreach[] = [];
  /** Told once and kept until a test delivers it. */
  const waiting: CarrierSignal[] = [];
  /** The sids that it was asked to cancel. */
  const canceled: string[] = [];
  let isDown = false;

  const reached = (key: string, status: ChannelStatus): SentOutreach => ({
    sid: `sid-${key}`,
    status,
    session_id: null,
    conversation_id: null,
  });

  const sender: OutreachSender = {
    async send(outreach, mayGo) {
      await requireGo(mayGo);
      const tries = handed.filter(({ target }) => target === outreach.target).length;
      handed.push(outreach);
      const planned = plan(outreach, tries);
      const { send = "taken", first = "QUEUED", tells = [], is_transient = null } = planned;
      if (send === "refused") throw refusal(planned);
      if (send === "refused-ours") throw new CarrierFault("Account suspended", "refused", { ours: "source" });
      if (send === "refused-country")
        throw new CarrierFault("Permission denied", "refused", { ours: "country" });
      if (send === "not-sent") throw new CarrierFault("busy", "not-sent");
      if (send === "unknown") throw new CarrierFault("connection reset", "unknown");
      if (send === "crash") throw new TypeError("Cannot read properties of undefined");
      taken.set(outreach.key, { outreach, at: now(), statuses: [first, ...tells], plan: planned });
      for (const status of tells) {
        const why = status === tells.at(-1) ? reasonOf(planned) : { is_transient };
        waiting.push(word(outreach.key, status, now(), why));
      }
      if (send === "lost") throw new CarrierFault("no answer", "unknown");
      return reached(outreach.key, first);
    },
    async find({ key }) {
      if (isDown) throw new CarrierFault("unreachable", "unknown");
      const known = taken.get(key);
      if (!known) return null;
      // It shows the reason that it tells.
      const failure = reasonOf(known.plan);
      return { ...reached(key, known.statuses.at(-1) as ChannelStatus), failure };
    },
    async cancel({ key }, sid) {
      if (isDown) throw new CarrierFault("unreachable", "not-sent");
      canceled.push(sid);
      const known = taken.get(key);
      const rings = known?.statuses.every((status) => status === "QUEUED" || status === "PENDING");
      if (!known || !rings) return;
      known.statuses.push("CANCELED");
      waiting.push(word(key, "CANCELED", now()));
    },
  };
  return {
    senders: { voice: sender, sms: sender, whatsapp: sender, email: sender } satisfies Senders,
    taken,
    handed,
    waiting,
    canceled,
    /** Takes what the carrier has to tell. */
    tell: (): CarrierSignal[] => waiting.splice(0),
    setDown(down: boolean) {
      isDown = down;
    },
  };
}

const reasonOf = ({ is_transient = null, our_fault }: Plan): FailureReason => ({
  is_transient,
  ...(our_fault === undefined ? { error_code: null } : { our_fault, error_code: "30034" }),
});

const refusal = ({ refused_as, refused_because = "not allowed" }: Plan): CarrierFault =>
  new CarrierFault(refused_because, "refused", refused_as ? { status: refused_as } : {});
