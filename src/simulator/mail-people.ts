import { PEOPLE } from "./people.ts";
import type { Person } from "./person.ts";

/**
 * The people whom the mail simulator plays, told by their address: a word before the @, alone or behind a plus, says what
 * a mail to them meets (`bounce@…`, `ann+reply.stop@…`). Pure.
 */
export type MailStep =
  /** An event as SendGrid names it, with its reason, code and kind of bounce where it has them. */
  | { after_s: number; event: string; reason?: string; status?: string; type?: string }
  /** The person answers. */
  | { after_s: number; reply: string; automatic: boolean }
  /** Their mail program's "unsubscribe" button is clicked. */
  | { after_s: number; unsubscribe: true };

/** What posting the mail meets at once. */
type MailPost = "accepted" | "refused" | "busy" | "down";

type MailPlan = { post: MailPost; steps: MailStep[] };

const PROCESSED: MailStep = { after_s: 1, event: "processed" };
const DELIVERED: MailStep = { after_s: 3, event: "delivered" };
const OPENED: MailStep = { after_s: 60, event: "open" };
const read = (...then: MailStep[]): MailPlan => ({
  post: "accepted",
  steps: [PROCESSED, DELIVERED, OPENED, ...then],
});
const unread = (...then: MailStep[]): MailPlan => ({ post: "accepted", steps: [PROCESSED, ...then] });
const atOnce = (post: MailPost): MailPlan => ({ post, steps: [] });
const dropped = (reason: string): MailPlan => ({
  post: "accepted",
  steps: [{ after_s: 1, event: "dropped", reason }],
});

const PLANS: Record<string, MailPlan> = {
  bounce: unread({
    after_s: 4,
    event: "bounce",
    type: "bounce",
    status: "5.1.1",
    reason: "550 5.1.1 no such user",
  }),
  blocked: unread({
    after_s: 4,
    event: "bounce",
    type: "blocked",
    status: "4.7.1",
    reason: "421 4.7.1 try again later",
  }),
  deferred: unread(
    { after_s: 4, event: "deferred", reason: "450 4.2.1 mailbox busy" },
    { after_s: 120, event: "delivered" },
  ),
  dropped: dropped("Bounced Address"),
  open: read(),
  click: read({ after_s: 70, event: "click" }),
  spam: read({ after_s: 90, event: "spamreport" }),
  unsubscribe: read({ after_s: 90, unsubscribe: true }),
  vacation: unread(DELIVERED, { after_s: 5, reply: "I am away until Monday.", automatic: true }),
  refused: atOnce("refused"),
  busy: atOnce("busy"),
  down: atOnce("down"),
};

/** `reply` answers "Yes, please."; `reply.stop` answers "STOP", and any other word after the dot as it stands. */
export function mailPlan(address: string): MailPlan {
  const local = address.split("@")[0] ?? "";
  const word = local.slice(local.indexOf("+") + 1).toLowerCase();
  const [name = "", said] = word.split(".");
  if (name === "reply") {
    const words = said === undefined ? "Yes, please." : said === "stop" ? "STOP" : said.replaceAll("_", " ");
    return read({ after_s: 120, reply: words, automatic: false });
  }
  return (Object.hasOwn(PLANS, name) && PLANS[name]) || unread(DELIVERED);
}

/** Who goes on with a dialogue: two digits behind a plus name one of the people (`ann+01@…`), as the end of a number does. */
export const personAt = (address: string): Person | undefined =>
  PEOPLE[/\+(?:.*\D)?(\d\d)@/.exec(address)?.[1] ?? ""];
