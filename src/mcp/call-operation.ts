import type { FastifyInstance } from "fastify";
import { API_KEY_HEADER } from "../api/server.ts";
import { cutTo } from "../base/storable.ts";
import type { OperationTool } from "./tool-definitions.ts";

/** What a tool answers a model with. */
export type McpAnswer = { content: { type: "text"; text: string }[]; isError?: boolean };

/** Who calls, and from where: the operation is called in their name. */
type ToolCaller = { token: string; address: string };

/** What came of the operation: its status, and its request id, under which the log and the audit trail have it. */
type Called = { answer: McpAnswer; status: number; request_id: string | null };

/** A model that is handed more can do nothing with it. */
const MAX_ANSWER_CHARACTERS = 100_000;

export const said = (text: string): McpAnswer => ({ content: [{ type: "text", text }] });
export const refused = (text: string): McpAnswer => ({ ...said(text), isError: true });

/**
 * Calls an operation as a request of this program to itself, so that sign-in, permission, limits, checks and audit are
 * those of the API and can't differ.
 */
export async function callOperation(
  server: FastifyInstance,
  tool: OperationTool,
  given: Record<string, unknown>,
  { token, address }: ToolCaller,
): Promise<Called> {
  const url = urlOf(tool, given);
  if (typeof url !== "string") return { answer: refused(url.fault), status: 422, request_id: null };
  const response = await server.inject({
    method: tool.method as "GET",
    url,
    remoteAddress: address,
    headers: { [API_KEY_HEADER]: token, ...(tool.takesBody && { "content-type": "application/json" }) },
    ...(tool.takesBody && { payload: JSON.stringify(given.body ?? null) }),
  });
  const request_id = String(response.headers["x-request-id"] ?? "") || null;
  const isDone = response.statusCode < 300;
  const answer = isDone ? said(shortened(response.body || "Done.")) : refused(sentencesOf(response.body));
  return { answer, status: response.statusCode, request_id };
}

/** What a model is told that names an argument in its own words. */
export function unknownArguments(
  tool: string,
  known: string[],
  given: Record<string, unknown>,
): string | undefined {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  const takes = known.length > 0 ? known.join(", ") : "no arguments";
  return unknown.length > 0
    ? `There is no argument ${unknown.join(", ")}. ${tool} takes ${takes}.`
    : undefined;
}

function urlOf(tool: OperationTool, given: Record<string, unknown>): string | { fault: string } {
  const known = [...tool.arguments.map(({ name }) => name), ...(tool.takesBody ? ["body"] : [])];
  const unknown = unknownArguments(tool.name, known, given);
  if (unknown) return { fault: unknown };
  let path = tool.path;
  const query = new URLSearchParams();
  for (const argument of tool.arguments) {
    const value = given[argument.name];
    if (argument.in === "path") {
      // An empty, "." or ".." part would be another operation's address.
      if (value === undefined || value === null || /^\.{0,2}$/.test(String(value)))
        return { fault: `Give ${argument.name}.` };
      path = path.replace(`{${argument.name}}`, () => encodeURIComponent(String(value)));
    } else for (const each of [value].flat()) if (each != null) query.append(argument.name, textOf(each));
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

const textOf = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

const shortened = (text: string): string =>
  text.length <= MAX_ANSWER_CHARACTERS
    ? text
    : `${cutTo(text, MAX_ANSWER_CHARACTERS)}\n\nThe answer has ${text.length} characters, and the rest is left out. ` +
      "Ask for less: a smaller limit, or only the fields that you need.";

/** The API's sentences, each with its place where there is one. */
function sentencesOf(body: string): string {
  try {
    const { detail } = JSON.parse(body) as { detail?: string | { loc: (string | number)[]; msg: string }[] };
    if (typeof detail === "string") return detail;
    if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("\n");
  } catch {
    // No JSON: what was answered is told as it is.
  }
  return body.slice(0, 1_000) || "The call failed without a reason.";
}
