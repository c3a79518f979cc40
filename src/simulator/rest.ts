import { numberOf } from "../carriers/twilio/twilio-texts.ts";
import { hangUp, ring } from "./call.ts";
import { carry } from "./message.ts";
import { numbersOf, numbersRest } from "./numbers.ts";
import type { Person } from "./person.ts";
import type { RestAnswer, RestRequest } from "./rest-answer.ts";
import { silence } from "./silence.ts";
import {
  newSid,
  rfc2822,
  type SimulatedCall,
  type SimulatedMessage,
  secondsBetween,
  type World,
} from "./world.ts";

const error = (status: number, code: number, message: string, headers = {}): RestAnswer => ({
  status,
  headers,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});
const NOT_FOUND = error(404, 20404, "The requested resource was not found");

export function answerRest(world: World, request: RestRequest): RestAnswer {
  const account_sid = signedIn(world, request.authorization);
  if (account_sid === null) return error(401, 20003, "Authenticate");
  const { path } = request;
  const own = `/2010-04-01/Accounts/${account_sid}/`;
  if (!path.startsWith("/2010-04-01/")) return numbersRest(world, account_sid, request) ?? NOT_FOUND;
  if (!path.startsWith(own)) return NOT_FOUND;

  const [resource = "", sid] = path
    .slice(own.length)
    .replace(/\.json$/, "")
    .split("/");
  switch (resource) {
    case "Calls":
      return sid ? oneCall(world, account_sid, sid, request) : allCalls(world, account_sid, request);
    case "Messages":
      return sid ? oneMessage(world, account_sid, sid) : allMessages(world, account_sid, request);
    case "IncomingPhoneNumbers":
      return numbersOf(world, account_sid, sid, request) ?? NOT_FOUND;
    case "Recordings":
      // With or without an ending, as Twilio answers it.
      return sid ? { status: 200, bytes: silence(2), type: "audio/x-wav" } : NOT_FOUND;
    default:
      return NOT_FOUND;
  }
}

/** HTTP basic: the account and its token. */
function signedIn(world: World, authorization: string | undefined): string | null {
  const [scheme, encoded = ""] = authorization?.split(" ") ?? [];
  if (scheme?.toLowerCase() !== "basic") return null;
  const [account_sid = "", token] = Buffer.from(encoded, "base64").toString().split(":");
  return account_sid !== "" && token === world.tokenOf(account_sid) ? account_sid : null;
}

/** What stands in the way of reaching them by the carrier's own interface; `taken`: it does it all the same. */
function trouble(world: World, who: Person, to: string): { answer: RestAnswer; taken: boolean } | null {
  const { error_code, too_many_times, trouble: kind } = who.api;
  if (error_code !== null) {
    return { answer: error(400, error_code, `The 'To' number ${to} can't be reached.`), taken: false };
  }
  const refused = world.counts.get(to) ?? 0;
  if (refused < too_many_times) {
    world.counts.set(to, refused + 1);
    return { answer: error(429, 20429, "Too Many Requests", { "retry-after": "1" }), taken: false };
  }
  switch (kind) {
    case "none":
      return null;
    case "silent-taken":
      return { answer: { hang: true }, taken: true };
    default:
      return { answer: error(500, 20500, "An internal server error occurred"), taken: kind === "500-taken" };
  }
}

function allCalls(world: World, account_sid: string, { method, query, form }: RestRequest): RestAnswer {
  if (method === "GET") {
    const since = Date.parse(query.get("StartTime>") ?? "1970-01-01");
    return listed(
      "calls",
      world.calls,
      query,
      (call) => call.account_sid === account_sid && call.created.getTime() >= since,
      shownCall,
    );
  }
  const to = form.get("To") ?? "";
  const from = form.get("From") ?? "";
  if (!/^(\+[1-9]\d{6,14}|sip:.+)$/.test(to)) return error(400, 21211, `The 'To' number ${to} is not valid.`);
  if (!form.get("Url")) return error(400, 21205, "Url parameter is required.");
  const obstacle = trouble(world, world.people(to), to);
  if (obstacle && !obstacle.taken) return obstacle.answer;
  const call: SimulatedCall = {
    sid: newSid("CA"),
    account_sid,
    from,
    to,
    direction: "outbound-api",
    status: "queued",
    created: world.clock.now(),
    answered: null,
    ended: null,
    asked: Object.fromEntries(form),
    recording: null,
    sequence: 0,
    told: Promise.resolve(),
    line: null,
  };
  world.calls.set(call.sid, call);
  ring(world, call);
  return obstacle?.answer ?? { status: 201, body: shownCall(call) };
}

function oneCall(world: World, account_sid: string, sid: string, { method, form }: RestRequest): RestAnswer {
  const call = world.calls.get(sid);
  if (call?.account_sid !== account_sid) return NOT_FOUND;
  if (method === "POST" && form.get("Status") === "completed") {
    if (call.ended) return error(400, 21220, "Call is not in-progress. Cannot redirect.");
    hangUp(world, call);
  }
  if (method === "POST" && form.get("Status") === "canceled") {
    if (call.ended) return error(400, 21220, "Call is not in-progress. Cannot redirect.");
    if (call.status !== "in-progress") hangUp(world, call);
  }
  return { status: 200, body: shownCall(call) };
}

function allMessages(world: World, account_sid: string, { method, query, form }: RestRequest): RestAnswer {
  if (method === "GET") {
    return listed(
      "messages",
      world.messages,
      query,
      (each) => each.account_sid === account_sid,
      shownMessage,
    );
  }
  const to = form.get("To") ?? "";
  const { number } = numberOf(to);
  const body = form.get("Body") ?? (form.get("ContentSid") ? `[${form.get("ContentSid")}]` : "");
  if (!/^\+[1-9]\d{6,14}$/.test(number)) return error(400, 21211, `The 'To' number ${to} is not valid.`);
  if (body === "") return error(400, 21602, "Message body is required.");
  if (body.length > 1600) return error(400, 21617, "The message body exceeds the 1600 character limit.");
  const obstacle = trouble(world, world.people(number), to);
  if (obstacle && !obstacle.taken) return obstacle.answer;
  const message: SimulatedMessage = {
    sid: newSid("SM"),
    account_sid,
    from: form.get("From") ?? "",
    to,
    body,
    status: "queued",
    error_code: null,
    created: world.clock.now(),
  };
  world.messages.set(message.sid, message);
  carry(world, message, form.get("StatusCallback") ?? "");
  return obstacle?.answer ?? { status: 201, body: shownMessage(message) };
}

function oneMessage(world: World, account_sid: string, sid: string): RestAnswer {
  const message = world.messages.get(sid);
  return message?.account_sid === account_sid ? { status: 200, body: shownMessage(message) } : NOT_FOUND;
}

/** Newest first, by the addresses asked for. */
function listed<T extends { from: string; to: string }>(
  name: string,
  all: Map<string, T>,
  query: URLSearchParams,
  fits: (each: T) => boolean,
  shown: (each: T) => object,
): RestAnswer {
  const [to, from] = [query.get("To"), query.get("From")];
  const page_size = Number(query.get("PageSize") ?? 50);
  const found = [...all.values()]
    .filter((each) => (to === null || each.to === to) && (from === null || each.from === from) && fits(each))
    .toReversed()
    .slice(0, page_size);
  return { status: 200, body: { [name]: found.map(shown), page: 0, page_size } };
}

const shownCall = (call: SimulatedCall) => ({
  sid: call.sid,
  account_sid: call.account_sid,
  from: call.from,
  to: call.to,
  status: call.status,
  direction: call.direction,
  api_version: "2010-04-01",
  date_created: rfc2822(call.created),
  start_time: call.answered && rfc2822(call.answered),
  end_time: call.ended && rfc2822(call.ended),
  duration: call.answered && call.ended ? String(secondsBetween(call.answered, call.ended)) : null,
});

const shownMessage = (message: SimulatedMessage) => ({
  sid: message.sid,
  account_sid: message.account_sid,
  from: message.from,
  to: message.to,
  body: message.body,
  status: message.status,
  direction: "outbound-api",
  error_code: message.error_code,
  api_version: "2010-04-01",
  date_created: rfc2822(message.created),
});
