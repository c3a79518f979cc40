import { generateKeyPairSync, sign } from "node:crypto";
import { WebSocket } from "ws";
import { createPeer, json, type PeerRequest } from "./peer.ts";

/** A Telnyx on loopback: takes commands, signs events, and streams a call's audio as its pages say. */
export async function createTelnyxDouble() {
  const peer = await createPeer();
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const public_key = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
  const seen = new Set<string>();
  let calls = 0;
  let refuses: ((request: PeerRequest) => boolean) | null = null;
  const commands: { sid: string; action: string; body: Record<string, unknown> }[] = [];

  const texts: Record<string, unknown>[] = [];
  const stopped = new Set<string>();

  peer.respond((request, response) => {
    if (request.headers.authorization !== "Bearer the api key")
      return json(response, 401, { errors: [{ code: "10009", title: "Authentication failed" }] });
    if (refuses?.(request))
      return json(response, 422, { errors: [{ code: "90018", title: "Call has already ended" }] });
    const body = request.body === "" ? {} : JSON.parse(request.body);
    const [, sid = "", action = ""] = /^\/calls\/([^/]+)\/actions\/(\w+)$/.exec(request.path) ?? [];
    if (request.path === "/messages" && stopped.has(String(body.to))) {
      const [title, detail] = ["Blocked due to STOP message", "There is an existing block rule."];
      return json(response, 403, { errors: [{ code: "40300", title, detail }] });
    }
    if (request.path === "/messages") {
      const parts = partsOf(String(body.text));
      if (parts > 10) {
        const detail = `The SMS message would be divided into ${parts} parts. The maximum is 10.`;
        return json(response, 400, { errors: [{ code: "40302", title: "Message too large", detail }] });
      }
      texts.push(body);
      const to = [{ phone_number: body.to, status: "queued" }];
      return json(response, 200, { data: { record_type: "message", id: `text-${texts.length}`, to } });
    }
    // As https://developers.telnyx.com/api-reference/messages/retrieve-a-message shows it.
    if (request.path.startsWith("/messages/")) {
      const id = request.path.slice("/messages/".length);
      const to = [{ phone_number: "+18665550001", status: "delivery_failed" }];
      return json(response, 200, { data: { record_type: "message", id, to, errors: [{ code: "40006" }] } });
    }
    if (request.path === "/calls") {
      const call_control_id = `v3:out${++calls}`;
      commands.push({ sid: call_control_id, action: "dial", body });
      return json(response, 200, { data: { call_control_id, is_alive: false, record_type: "call" } });
    }
    if (action === "") return json(response, 404, { errors: [{ code: "10005", title: "Not found" }] });
    // A command whose id was seen is done once.
    const id = `${sid} ${body.command_id}`;
    if (body.command_id === undefined || !seen.has(id))
      commands.push({ sid: decodeURIComponent(sid), action, body });
    seen.add(id);
    return json(response, 200, { data: { result: "ok" } });
  });

  /** An event's body, and the headers it is signed with at a moment. */
  const event = (event_type: string, payload: Record<string, unknown>, at: Date) => {
    const body = JSON.stringify({
      data: {
        record_type: "event",
        event_type,
        id: `e${Math.random()}`,
        occurred_at: at.toISOString(),
        payload,
      },
    });
    const timestamp = String(Math.floor(at.getTime() / 1000));
    const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString("base64");
    return {
      body,
      headers: {
        "content-type": "application/json",
        "telnyx-signature-ed25519": signature,
        "telnyx-timestamp": timestamp,
      },
    };
  };

  return {
    url: peer.url,
    public_key,
    commands,
    /** Texts that it took. */
    texts,
    /** Numbers that wrote STOP to it. */
    stopped,
    event,
    refuse: (which: typeof refuses) => {
      refuses = which;
    },
    actions: (sid: string) => commands.filter((command) => command.sid === sid).map(({ action }) => action),
    /** What the last stream of a call was started with. */
    streamOf(sid: string): { url: string; parameters: Record<string, string> } {
      const body = commands.findLast(
        (command) => command.sid === sid && command.action === "streaming_start",
      )?.body;
      const given = (body?.custom_parameters ?? []) as { name: string; value: string }[];
      return {
        url: String(body?.stream_url),
        parameters: Object.fromEntries(given.map(({ name, value }) => [name, value])),
      };
    },
  };
}

/** As its page of encodings has it: two bytes for each unit as soon as one character is none of these. */
const SEPTETS = /^[\n\r !"#$%&'()*+,\-./0-9:;<=>?@A-Z[\\\]^_a-z{|}~£¥èéùìòØøÅåÆæßÉ¡ÄÖÑÜ§¿äöñüà]*$/u;
function partsOf(text: string): number {
  if (!SEPTETS.test(text)) return text.length <= 70 ? 1 : Math.ceil(text.length / 67);
  const septets = text.length + (text.match(/[~^|\\{}[\]]/g)?.length ?? 0);
  return septets <= 160 ? 1 : Math.ceil(septets / 153);
}

/** Telnyx's end of a stream: plays at once what it is sent, and returns marks in order. */
export async function telnyxStream(
  url: string,
  { sid, parameters, encoding = "PCMU" }: { sid: string; parameters: object; encoding?: string },
) {
  const socket = new WebSocket(url);
  const heard: number[] = [];
  const commands: string[] = [];
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  let sequence = 0;
  const tell = (message: object) =>
    socket.send(
      JSON.stringify({ ...message, sequence_number: String(++sequence), stream_id: `stream-${sid}` }),
    );
  socket.on("message", (data) => {
    const message = JSON.parse(String(data));
    commands.push(message.event);
    if (message.event === "media") heard.push(Buffer.from(message.media.payload, "base64").length);
    if (message.event === "mark") tell({ event: "mark", mark: message.mark });
  });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  socket.send(JSON.stringify({ event: "connected", version: "1.0.0" }));
  tell({
    event: "start",
    start: {
      user_id: "u",
      call_control_id: sid,
      call_session_id: "s",
      from: "+14155550199",
      to: "+15125550177",
      client_state: null,
      custom_parameters: parameters,
      media_format: { encoding, sample_rate: 8000, channels: 1 },
    },
  });
  const media = (chunk: number, codes: Uint8Array) =>
    tell({
      event: "media",
      media: {
        track: "inbound",
        chunk: String(chunk),
        timestamp: String(chunk * 20),
        payload: Buffer.from(codes).toString("base64"),
      },
    });
  return { socket, heard, commands, closed, tell, media };
}
