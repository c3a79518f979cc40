import { holdDialogue } from "./dialogue.ts";
import type { Person } from "./person.ts";
import { readMarkup, type Verb } from "./read-markup.ts";
import { newSid, rfc2822, type SimulatedCall, secondsBetween, type World } from "./world.ts";

/** The person hears it ring after this. */
const SETUP_MS = 200;
/** How long a call to somebody else lasts once it was put through, and how long that rings at most. */
const TRANSFER_TALK_S = 30;
const DEFAULT_RING_S = 60;

/** Everything that happens on a call that the platform placed, from the first ring on. */
export function ring(world: World, call: SimulatedCall): void {
  const who = world.people(call.to);
  const patience_s = Number(call.asked.Timeout ?? DEFAULT_RING_S);
  const { outcome, sip_code } = who.call;
  world.schedule.after(SETUP_MS, () => {
    if (call.status === "queued") call.status = "ringing";
  });
  const rings_s = Math.min(who.call.ring_s, patience_s);
  world.schedule.after(SETUP_MS + rings_s * 1000, () => {
    if (call.status !== "ringing") return undefined;
    if (outcome === "answers" && who.call.ring_s <= patience_s) return answered(world, call, who);
    if (outcome === "busy") return over(world, call, who, "busy", sip_code);
    // A person who declines looks like one who is busy, but for the code.
    if (outcome === "declined") return over(world, call, who, "busy", sip_code);
    if (outcome === "failed") return over(world, call, who, "failed", sip_code);
    return over(world, call, who, "no-answer", null);
  });
}

/** Somebody calls one of the platform's numbers. */
export async function callIn(world: World, call: SimulatedCall, voice_url: string): Promise<void> {
  call.status = "ringing";
  const who = world.people(call.from);
  const markup = await world.callbacks.send(voice_url, world.tokenOf(call.account_sid), formOf(call));
  // The platform, or the caller, may have hung up before it was answered.
  if (call.ended) return;
  const verbs = read(markup);
  if (verbs[0]?.name === "Reject") return over(world, call, who, "busy", null);
  call.status = "in-progress";
  call.answered = world.clock.now();
  await run(world, call, who, verbs);
}

async function answered(world: World, call: SimulatedCall, who: Person): Promise<void> {
  call.status = "in-progress";
  call.answered = world.clock.now();
  tell(world, call, who, {});
  detectAnswerer(world, call, who);
  const limit_s = Number(call.asked.TimeLimit ?? 14_400);
  world.schedule.after(limit_s * 1000, () => hangUp(world, call));
  const token = world.tokenOf(call.account_sid);
  const markup = await world.callbacks.send(call.asked.Url ?? "", token, formOf(call));
  await run(world, call, who, read(markup));
}

function detectAnswerer(world: World, call: SimulatedCall, who: Person): void {
  const url = call.asked.AsyncAmdStatusCallback;
  if (!call.asked.MachineDetection || !url) return;
  const { answered_by, opening_s } = who.call;
  const found = answered_by === "machine" ? "machine_end_beep" : answered_by;
  const after_s = answered_by === "machine" ? opening_s + 0.5 : answered_by === "unknown" ? 30 : 1.8;
  world.schedule.after(after_s * 1000, () => {
    const form = { ...identity(call), AnsweredBy: found, MachineDetectionDuration: String(after_s * 1000) };
    return world.callbacks.send(url, world.tokenOf(call.account_sid), form);
  });
}

/** Does what the platform's markup says, verb by verb; after the last one the call is over. */
async function run(world: World, call: SimulatedCall, who: Person, verbs: Verb[]): Promise<void> {
  if (call.ended) return;
  for (const verb of verbs) {
    const [noun] = verb.nouns;
    switch (verb.name) {
      case "Start":
        if (noun?.name === "Recording") {
          call.recording = { sid: newSid("RE"), callback: noun.attributes.recordingStatusCallback ?? "" };
        }
        break;
      case "Connect":
        if (noun?.name === "ConversationRelay") return connect(world, call, who, verb, noun);
        break;
      case "Dial":
        return dial(world, call, who, verb);
      case "Hangup":
        return over(world, call, who, "completed", null);
      default:
      // Said or played to the person: it takes no part in what happens.
    }
  }
  over(world, call, who, "completed", null);
}

function connect(world: World, call: SimulatedCall, who: Person, verb: Verb, relay: Verb): void {
  const token = world.tokenOf(call.account_sid);
  const session_sid = newSid("VX");
  const given = relay.nouns.filter(({ name }) => name === "Parameter").map(({ attributes }) => attributes);
  const setup = {
    type: "setup",
    sessionId: session_sid,
    accountSid: call.account_sid,
    parentCallSid: "",
    callSid: call.sid,
    from: call.from,
    to: call.to,
    forwardedFrom: "",
    callType: "PSTN",
    callerName: "",
    direction: call.direction,
    callStatus: "IN-PROGRESS",
    customParameters: Object.fromEntries(given.map(({ name, value }) => [name, value])),
  };
  const dialogue = holdDialogue(world, who, setup, (how) => {
    call.line = null;
    if (how.by === "person") over(world, call, who, "completed", null);
    const ended = {
      ...formOf(call),
      SessionId: session_sid,
      SessionStatus: how.by === "failure" ? "failed" : how.by === "agent" ? "ended" : "completed",
      ...(how.by === "agent" && { HandoffData: how.handoff_data }),
    };
    const goOn = async () => {
      const markup = await world.callbacks.send(verb.attributes.action ?? "", token, ended);
      if (how.by !== "person") await run(world, call, who, read(markup));
    };
    world.schedule.after(0, goOn);
  });
  call.line = world.openRelay(relay.attributes.url ?? "", token, dialogue.handlers);
  dialogue.take(call.line);
}

/** Rings somebody else and puts them through. */
function dial(world: World, call: SimulatedCall, who: Person, verb: Verb): void {
  const [noun] = verb.nouns;
  const number = (noun?.text ?? verb.text).trim();
  const other = world.people(number).call;
  const patience_s = Number(verb.attributes.timeout ?? 30);
  const picksUp = other.outcome === "answers" && other.ring_s <= patience_s;
  const leg_sid = newSid("CA");
  const token = world.tokenOf(call.account_sid);
  const rings_s = Math.min(other.ring_s, patience_s);
  if (picksUp && noun?.attributes.amdStatusCallback) {
    const found = other.answered_by === "machine" ? "machine_start" : other.answered_by;
    const form = { AccountSid: call.account_sid, CallSid: leg_sid, AnsweredBy: found };
    world.schedule.after((rings_s + 2) * 1000, () =>
      world.callbacks.send(noun.attributes.amdStatusCallback ?? "", token, form),
    );
  }
  const word = picksUp ? "completed" : other.outcome === "answers" ? "no-answer" : other.outcome;
  world.schedule.after((rings_s + (picksUp ? TRANSFER_TALK_S : 0)) * 1000, async () => {
    if (call.ended) return;
    const form = {
      ...formOf(call),
      DialCallStatus: word === "declined" ? "busy" : word,
      DialCallSid: leg_sid,
      ...(picksUp && { DialCallDuration: String(TRANSFER_TALK_S), DialBridged: "true" }),
    };
    const markup = await world.callbacks.send(verb.attributes.action ?? "", token, form);
    await run(world, call, who, read(markup));
  });
}

/** The platform ends the call, whatever it was doing. */
export function hangUp(world: World, call: SimulatedCall): void {
  const who = world.people(call.direction === "inbound" ? call.from : call.to);
  call.line?.close();
  over(world, call, who, call.status === "in-progress" ? "completed" : "canceled", null);
}

function over(
  world: World,
  call: SimulatedCall,
  who: Person,
  status: SimulatedCall["status"],
  sip_code: number | null,
): void {
  if (call.ended) return;
  call.status = status;
  call.ended = world.clock.now();
  const duration = call.answered ? secondsBetween(call.answered, call.ended) : 0;
  tell(world, call, who, {
    CallDuration: String(duration),
    ...(sip_code !== null && { SipResponseCode: String(sip_code) }),
  });
  // It is remembered for whoever asks; what it was asked for is not needed any more.
  call.asked = {};
  const { recording } = call;
  if (!recording || !call.answered) return;
  const form = {
    AccountSid: call.account_sid,
    CallSid: call.sid,
    RecordingSid: recording.sid,
    RecordingUrl: `${world.base}/2010-04-01/Accounts/${call.account_sid}/Recordings/${recording.sid}`,
    RecordingStatus: "completed",
    RecordingDuration: String(duration),
    RecordingChannels: "1",
    RecordingSource: "StartCallRecordingTwiML",
  };
  world.schedule.after(2000, () =>
    world.callbacks.send(recording.callback, world.tokenOf(call.account_sid), form),
  );
}

/** A status callback, in the manner of this person's carrier. */
function tell(world: World, call: SimulatedCall, who: Person, more: Record<string, string>): void {
  const url = call.asked.StatusCallback;
  if (!url) return;
  const form = {
    ...formOf(call),
    ...more,
    Timestamp: rfc2822(world.clock.now()),
    CallbackSource: "call-progress-events",
    SequenceNumber: String(call.sequence++),
  };
  const send = () => world.callbacks.send(url, world.tokenOf(call.account_sid), form);
  const ended = call.ended !== null;
  switch (who.api.callbacks) {
    case "lost":
      return;
    case "late":
      world.schedule.after(3_600_000, send);
      return;
    case "reordered":
      // What was told first arrives after the end.
      world.schedule.after(ended ? 0 : 120_000, send);
      return;
    default: {
      const times = who.api.callbacks === "twice" ? 2 : 1;
      for (let n = 0; n < times; n++) call.told = world.schedule.track(call.told.then(send));
    }
  }
}

const identity = (call: SimulatedCall) => ({ AccountSid: call.account_sid, CallSid: call.sid });

const formOf = (call: SimulatedCall): Record<string, string> => ({
  ...identity(call),
  From: call.from,
  To: call.to,
  Caller: call.from,
  Called: call.to,
  CallStatus: call.status,
  Direction: call.direction,
  ApiVersion: "2010-04-01",
});

/** What is no markup ends the call, as the carrier would. */
function read(markup: string | null): Verb[] {
  if (markup === null) return [{ name: "Hangup", attributes: {}, text: "", nouns: [] }];
  try {
    return readMarkup(markup);
  } catch {
    return [{ name: "Hangup", attributes: {}, text: "", nouns: [] }];
  }
}
