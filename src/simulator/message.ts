import { numberOf } from "../carriers/twilio/twilio-texts.ts";
import { type Person, replyTo } from "./person.ts";
import { newSid, type SimulatedMessage, type World } from "./world.ts";

const SENT_MS = 400;
const OUTCOME_MS = 1200;
const HOUR_MS = 3_600_000;

/** What becomes of a text that the platform sent: its statuses, and what the person writes back. */
export function carry(world: World, message: SimulatedMessage, status_callback: string): void {
  const who = world.people(numberOf(message.to).number);
  const { outcome, error_code, replies_after_s } = who.text;
  const step = (after_ms: number, status: string) =>
    world.schedule.after(after_ms, () => {
      message.status = status;
      const failed = status === "undelivered" || status === "failed";
      message.error_code = failed ? error_code : null;
      return tell(world, who, message, status, status_callback);
    });

  const late_ms = who.api.callbacks === "late" ? HOUR_MS : 0;
  const [first, second] = who.api.callbacks === "reordered" ? [OUTCOME_MS, SENT_MS] : [SENT_MS, OUTCOME_MS];
  if (outcome !== "failed") step(first + late_ms, "sent");
  if (outcome !== "unconfirmed") step(second + late_ms, outcome);
  if (outcome !== "delivered" || replies_after_s === null) return;
  // Several texts in a row are read together: the last one is answered.
  const newest = `${dialogueOf(message)} newest`;
  const number = (world.counts.get(newest) ?? 0) + 1;
  world.counts.set(newest, number);
  world.schedule.after(OUTCOME_MS + replies_after_s * 1000, () =>
    world.counts.get(newest) === number ? writeBack(world, who, message) : null,
  );
}

const dialogueOf = ({ account_sid, from, to }: SimulatedMessage): string => `${account_sid} ${from} ${to}`;

async function tell(
  world: World,
  who: Person,
  message: SimulatedMessage,
  status: string,
  status_callback: string,
): Promise<void> {
  if (status_callback === "" || who.api.callbacks === "lost") return;
  const form = {
    AccountSid: message.account_sid,
    MessageSid: message.sid,
    SmsSid: message.sid,
    MessageStatus: status,
    SmsStatus: status,
    From: message.from,
    To: message.to,
    ApiVersion: "2010-04-01",
    ...(message.error_code !== null && { ErrorCode: String(message.error_code) }),
  };
  for (let times = who.api.callbacks === "twice" ? 2 : 1; times > 0; times--) {
    await world.callbacks.send(status_callback, world.tokenOf(message.account_sid), form);
  }
}

/** Left: they said their last word. */
const LEFT = -1;

async function writeBack(world: World, who: Person, heard: SimulatedMessage): Promise<void> {
  const dialogue = dialogueOf(heard);
  const turn = world.counts.get(dialogue) ?? 0;
  if (turn === LEFT) return;
  const reply = replyTo(who, heard.body, turn);
  if (!reply) return;
  world.counts.set(dialogue, reply.then_leaves ? LEFT : turn + 1);
  await textIn(world, heard.account_sid, { from: heard.to, to: heard.from, body: reply.say });
}

export type PersonsText = {
  from: string;
  to: string;
  body: string;
  media?: { type: string; url: string }[];
  sid?: string;
  /** Said where the carrier has answered the word itself (Advanced Opt-Out). */
  opt_out_type?: "STOP" | "START" | "HELP";
};

/** Somebody writes to one of the platform's numbers. Resolves with the text's id once the platform has taken it. */
export async function textIn(world: World, account_sid: string, text: PersonsText): Promise<string> {
  const { from, to, body, media = [], sid = newSid("SM"), opt_out_type } = text;
  const number = world.numbers.get(account_sid)?.find((each) => each.phone_number === to);
  const url = number?.sms_url ?? world.numberUrls(account_sid)?.messages;
  if (!url) return sid;
  const form: Record<string, string> = {
    AccountSid: account_sid,
    MessageSid: sid,
    SmsMessageSid: sid,
    SmsSid: sid,
    SmsStatus: "received",
    From: from,
    To: to,
    Body: body,
    NumMedia: String(media.length),
    NumSegments: "1",
    ApiVersion: "2010-04-01",
    ...(opt_out_type && { OptOutType: opt_out_type }),
  };
  for (const [n, { type, url }] of media.entries()) {
    form[`MediaContentType${n}`] = type;
    form[`MediaUrl${n}`] = url;
  }
  await world.schedule.track(world.callbacks.send(url, world.tokenOf(account_sid), form));
  return sid;
}
