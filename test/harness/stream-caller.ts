import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { WebSocket } from "ws";
import { Framer } from "../../src/audio/frames.ts";
import { encodeUlaw } from "../../src/audio/g711.ts";
import { resample } from "../../src/audio/resample.ts";

const FRAME_MS = 20;
const RATE = 8000;
const SILENCE = encodeUlaw(new Int16Array(RATE / 50));

type StreamedCall = {
  /** Where the carrier reaches us first; `moveTo` leads it elsewhere. */
  at: string;
  /** What signatures are made of. */
  publicUrl: string;
  auth_token: string;
  account_sid: string;
  channel_id: number;
  sid: string;
  from: string;
  to: string;
};

/**
 * A caller over a carrier that streams its audio to us, in real time: sends a frame each 20 ms, plays what comes at the
 * pace of the clock, and asks what follows once a stream has ended, as Twilio does.
 */
export class StreamCaller {
  /** Frames that were sent on all lines of the call, and on the line that is open or was open last. */
  sent = 0;
  sentOnLine = 0;
  /** Of those, before this line brought a sound. */
  sentUnanswered = 0;
  lines = 0;
  /** `performance.now()` of the first frame that this line brought, and of the end of the line before. */
  firstSound: number | null = null;
  brokeAt: number | null = null;
  /** What the carrier was told to do when the stream ended: "Hangup", "Dial" or "Stream". */
  next = "";
  markup = "";
  readonly #call: StreamedCall;
  #at: string;
  #socket: WebSocket | null = null;
  #sequence = 0;
  #chunk = 0;
  #toSay: Uint8Array[] = [];
  #playing: (string | null)[] = [];
  #began = 0;
  #frames = 0;
  readonly #timer: NodeJS.Timeout;
  #isOver = false;

  constructor(call: StreamedCall) {
    this.#call = call;
    this.#at = call.at;
    this.#timer = setInterval(() => this.#tick(), FRAME_MS / 2);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isHearing(): boolean {
    return this.#playing.includes(null);
  }

  get isSpeaking(): boolean {
    return this.#toSay.length > 0;
  }

  /** The balancer leads whatever comes next to another process. */
  moveTo(at: string): void {
    this.#at = at;
  }

  async ring(): Promise<void> {
    await this.#follow(await this.#post("/voice", { CallStatus: "ringing" }));
  }

  say(samples: Int16Array, rate: number): void {
    for (const frame of new Framer(RATE).push(resample(samples, rate, RATE)))
      this.#toSay.push(encodeUlaw(frame));
  }

  /** The connection breaks. */
  drop(): void {
    this.#socket?.terminate();
  }

  hangUp(): void {
    this.#tell({ event: "stop", stop: { accountSid: this.#call.account_sid, callSid: this.#call.sid } });
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#socket?.close();
  }

  async #post(suffix: string, more: Record<string, string>): Promise<string> {
    const { account_sid, channel_id, from, to, sid, publicUrl, auth_token } = this.#call;
    const path = `/carriers/twilio/${channel_id}${suffix}`;
    const form = { AccountSid: account_sid, From: from, To: to, CallSid: sid, ...more };
    const answer = await fetch(this.#at + path, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-twilio-signature": getExpectedTwilioSignature(auth_token, publicUrl + path, form),
      },
      body: new URLSearchParams(form),
    });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.text();
  }

  async #follow(markup: string): Promise<void> {
    this.markup = markup;
    this.next = /<(Stream|Hangup|Dial|Reject|ConversationRelay)\b/.exec(markup)?.[1] ?? "";
    if (this.next !== "Stream") return this.#end();
    const parameters = [...markup.matchAll(/<Parameter name="(\w+)" value="([^"]+)"/g)];
    await this.#open(Object.fromEntries(parameters.map(([, name, value]) => [name, value])));
  }

  async #open(customParameters: Record<string, string>): Promise<void> {
    const { channel_id, sid, publicUrl, auth_token, account_sid } = this.#call;
    const path = `/carriers/twilio/${channel_id}/calls/${sid}/stream`;
    const signature = getExpectedTwilioSignature(auth_token, publicUrl.replace("http", "ws") + path, {});
    const socket = new WebSocket(this.#at.replace("http", "ws") + path, {
      headers: { "x-twilio-signature": signature },
    });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    this.#socket = socket;
    this.lines++;
    this.firstSound = null;
    this.#playing = [];
    this.#sequence = 0;
    this.#chunk = 0;
    this.#began = performance.now();
    this.#frames = 0;
    this.sentOnLine = 0;
    this.sentUnanswered = 0;
    socket.on("message", (data) => this.#take(JSON.parse(String(data))));
    socket.on("error", () => {});
    socket.on("close", () => this.#broken(socket));
    socket.send(JSON.stringify({ event: "connected", protocol: "Call", version: "1.0.0" }));
    const mediaFormat = { encoding: "audio/x-mulaw", sampleRate: RATE, channels: 1 };
    const start = {
      accountSid: account_sid,
      callSid: sid,
      tracks: ["inbound"],
      mediaFormat,
      customParameters,
    };
    this.#tell({ event: "start", start });
  }

  #broken(socket: WebSocket): void {
    if (this.#isOver || this.#socket !== socket) return;
    this.#socket = null;
    this.brokeAt = performance.now();
    this.#post(`/calls/${this.#call.sid}/stream-ended`, { CallStatus: "in-progress" })
      .then((markup) => this.#follow(markup))
      .catch((error) => {
        this.next = String(error);
        this.#end();
      });
  }

  #take(message: { event: string; mark?: { name: string } }): void {
    if (message.event === "media") {
      if (this.firstSound === null) {
        this.firstSound = performance.now();
        this.sentUnanswered = this.sentOnLine;
      }
      this.#playing.push(null);
    } else if (message.event === "mark") this.#playing.push(message.mark?.name ?? "");
    else if (message.event === "clear") {
      // Marks of what was cleared come back at once.
      const marks = this.#playing.filter((entry) => entry !== null);
      this.#playing = [];
      for (const name of marks) this.#tell({ event: "mark", mark: { name } });
    }
  }

  #tick(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    while (this.#frames * FRAME_MS < performance.now() - this.#began) {
      this.#frames++;
      this.sent++;
      this.sentOnLine++;
      const payload = Buffer.from(this.#toSay.shift() ?? SILENCE).toString("base64");
      const chunk = String(++this.#chunk);
      const timestamp = String(this.#chunk * FRAME_MS);
      this.#tell({ event: "media", media: { track: "inbound", chunk, timestamp, payload } });
      if (this.#playing[0] === null) this.#playing.shift();
      while (typeof this.#playing[0] === "string")
        this.#tell({ event: "mark", mark: { name: this.#playing.shift() } });
    }
  }

  #tell(message: object): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    const sequenceNumber = String(++this.#sequence);
    this.#socket.send(JSON.stringify({ ...message, sequenceNumber, streamSid: `MZ${this.#call.sid}` }));
  }
}
