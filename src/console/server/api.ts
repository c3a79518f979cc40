import type { Operations } from "../api-types.ts";
import { connection } from "./connection.ts";
import { fieldLabel } from "./field-labels.ts";
import { idleSeconds } from "./idle.ts";
import { inPlainWords } from "./plain-words.ts";
import { FOREIGN_PAGE, HALF_ANSWER, proxyFailure } from "./proxy-answer.ts";
import { ofShownPerson } from "./shown-person.ts";
import { signInAgain } from "./sign-in-gate.ts";

/**
 * Every request to the server goes through here: operations of the public API, named as in openapi.json.
 * `call("GET /api/v1/agents/{agent_id}", { path: { agent_id: 7 } })` is typed in what it takes and what it answers.
 */
export type Operation = keyof Operations;
export type Answer<O extends Operation> = Operations[O]["answer"];

export type Given<O extends Operation> = (keyof Operations[O]["path"] extends never
  ? { path?: undefined }
  : { path: Operations[O]["path"] }) &
  (undefined extends Operations[O]["body"]
    ? { body?: undefined }
    : { body: Operations[O]["body"] } | { form: FormData }) & {
    query?: Operations[O]["query"];
    signal?: AbortSignal;
  };

/** An entry of a 422: the path in the request, and the message in the words of the page. */
export type Issue = { loc: (string | number)[]; msg: string; type: string };

export class ApiError extends Error {
  /** 0: the server was not reached. */
  readonly status: number;
  readonly issues: Issue[];
  constructor(status: number, message: string, issues: Issue[] = []) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.issues = issues;
  }
}

/** Calls an operation. If the sign-in has expired, the person signs in again in place and the call is repeated; any other failure is an ApiError. */
export async function call<O extends Operation>(operation: O, given: Given<O>): Promise<Answer<O>> {
  return (await read(await request(operation, given))) as Answer<O>;
}

/** The same, with the headers of the answer. */
export async function callWithHeaders<O extends Operation>(
  operation: O,
  given: Given<O>,
): Promise<{ answer: Answer<O>; headers: Headers }> {
  const response = await request(operation, given);
  return { answer: (await read(response)) as Answer<O>, headers: response.headers };
}

/** The same for an operation that answers with a file; `accept` names its kind where there are several. */
export async function callForBytes<O extends Operation>(
  operation: O,
  given: Given<O>,
  accept?: string,
): Promise<Blob> {
  const response = await request(operation, given, accept);
  if (!response.ok || isPage(response)) await read(response);
  return whole(response.blob());
}

/** The same for an operation that answers with a stream of server-sent events; resolves when the stream ends. */
export async function callForEvents<O extends Operation>(
  operation: O,
  given: Given<O>,
  tell: (event: string, data: unknown) => void,
): Promise<void> {
  const response = await request(operation, given, "text/event-stream");
  if (!response.ok || isPage(response) || !response.body) return void (await read(response));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  const next = () => whole(reader.read());
  for (let part = await next(); !part.done; part = await next()) {
    const events = (rest + part.value).split("\n\n");
    rest = events.pop() ?? "";
    for (const text of events) {
      const lines = text.split("\n");
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field("data");
      if (data !== undefined) tell(field("event") ?? "message", JSON.parse(data));
    }
  }
}

/** What is read of an answer, unless the connection breaks meanwhile. */
const whole = <T>(reading: Promise<T>): Promise<T> =>
  reading.catch((error: Error) => {
    if (error.name === "AbortError") throw error;
    connection.set("lost");
    throw new ApiError(0, "The connection was lost before the answer was complete.");
  });

async function request<O extends Operation>(
  operation: O,
  given: Given<O>,
  accept?: string,
): Promise<Response> {
  const [method, template] = operation.split(" ") as [string, string];
  const { path, query, signal } = given as { path?: object; query?: object; signal?: AbortSignal };
  const url = addressOf(template, path ?? {}, query ?? {});
  const body =
    "form" in given ? given.form : given.body === undefined ? undefined : JSON.stringify(given.body);
  const init: RequestInit = { method, ...(body !== undefined && { body }), ...(signal && { signal }) };
  init.headers = {
    ...(typeof body === "string" && { "content-type": "application/json" }),
    ...(accept !== undefined && { accept }),
  };

  const response = await send(url, init);
  if (response.status !== 401) return response;
  await signInAgain();
  return send(url, init);
}

/** For the few addresses that are no operation of the public API: signing in and out. */
export async function callConsole(path: string, body?: unknown): Promise<unknown> {
  const init =
    body === undefined
      ? {}
      : { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  return read(await send(path, init));
}

/** Fills `{name}` from the path; lists become repeated query keys, and nulls are left out. */
export function addressOf(template: string, path: object, query: object): string {
  const values = new Map(Object.entries(path));
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values.get(name))),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) search.append(name, String(item));
    }
  }
  return search.size > 0 ? `${filled}?${search}` : filled;
}

const headersOf = ({ headers }: RequestInit): Record<string, string> =>
  Object.fromEntries(new Headers(headers));

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, {
      ...init,
      headers: { ...headersOf(init), ...ofShownPerson(), "x-idle-seconds": idleSeconds() },
    });
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    connection.set("lost");
    throw new ApiError(0, "Parley can't be reached. Try again in a moment.");
  }
}

async function read(response: Response): Promise<unknown> {
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  const text = await whole(response.text());
  if (response.ok) {
    if (isPage(response)) throw new ApiError(0, FOREIGN_PAGE);
    return isJson ? parsed(text, 0) : text;
  }
  const detail: unknown = isJson
    ? (parsed(text, response.status) as { detail?: unknown } | null)?.detail
    : null;
  if (Array.isArray(detail)) {
    const issues = (detail as Issue[]).map((issue) => ({ ...issue, msg: inPlainWords(issue.msg) }));
    throw new ApiError(response.status, summaryOf(issues), issues);
  }
  throw new ApiError(
    response.status,
    typeof detail === "string" ? inPlainWords(detail) : proxyFailure(response.status),
  );
}

/** No operation answers with a page. */
const isPage = (response: Response): boolean =>
  response.headers.get("content-type")?.includes("text/html") === true;

function parsed(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(status, HALF_ANSWER);
  }
}

const summaryOf = (issues: Issue[]): string =>
  issues.map(({ loc, msg }) => `${fieldLabel(loc.slice(1).join(".") || loc.join("."))}: ${msg}`).join("; ");
