import type { Caller } from "../api/caller.ts";
import { json, type Tx } from "../db/database.ts";
import type { StaticToolParameter, ToolDefinition, ToolType } from "./tool-definition.ts";
import { recordToolVersion } from "./tool-history.ts";

/** The service that holds the tools which the program runs itself; neither it nor they can be edited. */
export const SYSTEM_SERVICE = "System";

type Argument = { type: "string"; description: string; pattern?: string };

type SystemTool = {
  description: string;
  type: ToolType;
  required?: Record<string, Argument>;
  optional?: Record<string, Argument>;
  static_parameters?: StaticToolParameter[];
};

const text = (description: string, pattern?: string): Argument => ({
  type: "string",
  description,
  ...(pattern && { pattern }),
});

/**
 * What they do is in `sessions/`, by name. A model reads the descriptions. An action asks the
 * channel to do something, a context tool changes or reads the session, an endpoint looks something up.
 */
const TOOLS: Record<string, SystemTool> = {
  hangup: {
    type: "action",
    description:
      "Ends the conversation. Say goodbye first; use it when the user is done or asks to end the conversation.",
    optional: { reason: text("Why the conversation ends, for the record.") },
  },
  transfer: {
    type: "action",
    description: "Transfers the call to a person or department. Only possible on the phone.",
    required: {
      destination: text("The name of a directory member, a phone number in E.164 format or a SIP address."),
    },
    optional: { reason: text("Why the call is transferred, for the record.") },
    static_parameters: [
      {
        name: "any_number",
        description: "Whether numbers that are not in the directory may be reached, too.",
        required: false,
        type: "boolean",
        default: false,
      },
    ],
  },
  opt_out: {
    type: "context",
    description:
      "Makes sure that the user is never called or written to again. Use it when the user asks not to be contacted any more, to be taken off the list, or not to be called; then confirm it to them.",
    optional: { said: text("What the user said, word for word, for the record.") },
  },
  call_back: {
    type: "context",
    description:
      "Books a call to the user at a time that they ask for. Only possible on the phone. Ask for day and time first; then tell the user what the answer says. A second use moves the call.",
    required: {
      when: text(
        "The time on the user's own clock as 2026-11-24T15:00 or, for the next time the clock shows it, 15:00; or a wait, such as 20m, 2h or 1d.",
      ),
    },
  },
  set_current_language: {
    type: "context",
    description:
      "Switches the language of the conversation. Use it when the user speaks or asks for another language.",
    required: { language: text("The BCP 47 code of the language, for example es-US.") },
  },
  get_current_datetime: {
    type: "context",
    description: "Gives the current date, time and day of the week in the agent's time zone.",
  },
  data_source_search: {
    type: "endpoint",
    description: "Searches the agent's own documents for the answer to a question.",
    required: { question: text("The question, complete and understandable on its own.") },
    static_parameters: [
      {
        name: "doc",
        description: "The data sources to search, by name or label.",
        required: true,
        type: "data_source_list",
      },
    ],
  },
  check_voicemail: {
    type: "action",
    description: "Checks whether a voicemail system, and no person, has answered an outbound call.",
  },
  leave_voicemail: {
    type: "action",
    description: "Leaves a message on the voicemail that answered an outbound call, then hangs up.",
    optional: { message: text("What to say, word for word; the agent's own message when absent.") },
  },
  deliver_greeting: {
    type: "action",
    description: "Speaks the agent's greeting to the person who answered an outbound call.",
  },
  send_dtmf: {
    type: "action",
    description: "Presses keys of the phone, for example to get through a phone menu.",
    required: {
      digits: text("The keys in order: 0 to 9, * and #; w waits half a second.", "^[0-9*#wW]+$"),
    },
  },
};

const definitionOf = (name: string, tool: SystemTool): ToolDefinition => ({
  type: tool.type,
  tool: {
    type: "function",
    function: {
      name,
      description: tool.description,
      parameters: {
        type: "object",
        properties: { ...tool.required, ...tool.optional },
        required: Object.keys(tool.required ?? {}),
      },
    },
  },
  ...(tool.static_parameters && { static_parameters: tool.static_parameters }),
});

export const SYSTEM_TOOLS: readonly { name: string; definition: ToolDefinition }[] = Object.entries(
  TOOLS,
).map(([name, tool]) => ({ name, definition: definitionOf(name, tool) }));

/**
 * Gives the caller's sub-organization the built-in service and tools as this program ships them: what is missing is
 * added, what an earlier program shipped differently gets a new version, what is not shipped any more is deleted, all
 * else is left alone. A tool whose name the
 * sub-organization already uses for its own is not added.
 *
 * Lock: the sub-organization's row, so that machines that start together do this one after the other.
 */
export async function ensureSystemTools(tx: Tx, caller: Caller, now: Date): Promise<void> {
  const { sub_organization_id } = caller;
  const stamp = { last_updated: now.toISOString(), last_updated_by: caller.email };
  await tx
    .selectFrom("sub_organizations")
    .select("id")
    .where("id", "=", sub_organization_id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const service_id = await systemService(tx, sub_organization_id, stamp);
  const present = await tx
    .selectFrom("tools")
    .select(["id", "name", "definition"])
    .where("service_id", "=", service_id)
    .where("deleted_at", "is", null)
    .execute();

  for (const { name, definition } of SYSTEM_TOOLS) {
    const known = present.find((tool) => tool.name === name);
    // The text of a json column is kept as written, so equal definitions have equal texts.
    if (known && JSON.stringify(known.definition) === JSON.stringify(definition)) continue;
    const written = known
      ? await tx
          .updateTable("tools")
          .set((row) => ({
            ...stamp,
            definition: json(definition),
            version_number: row("version_number", "+", 1),
          }))
          .where("id", "=", known.id)
          .returning("id")
          .executeTakeFirst()
      : await tx
          .insertInto("tools")
          .values({ ...stamp, sub_organization_id, service_id, name, definition: json(definition) })
          .onConflict((conflict) =>
            conflict.columns(["sub_organization_id", "name"]).where("deleted_at", "is", null).doNothing(),
          )
          .returning("id")
          .executeTakeFirst();
    if (written) await recordToolVersion(tx, written.id, known ? "update" : "create");
  }
  const gone = present.filter(({ name }) => SYSTEM_TOOLS.every((tool) => tool.name !== name));
  for (const { id } of gone) await withdraw(tx, id, stamp);
}

/** A tool that this program has no more is taken from the prompts too: a model that is offered it calls it in vain. */
async function withdraw(
  tx: Tx,
  id: number,
  stamp: { last_updated: string; last_updated_by: string },
): Promise<void> {
  await tx.deleteFrom("prompt_tools").where("tool_id", "=", id).execute();
  await tx
    .updateTable("prompts")
    .set({ session_end_tool_id: null })
    .where("session_end_tool_id", "=", id)
    .execute();
  await tx
    .updateTable("tools")
    .set((row) => ({
      ...stamp,
      version_number: row("version_number", "+", 1),
      deleted_at: stamp.last_updated,
      deleted_reason: "Not part of this program any more.",
    }))
    .where("id", "=", id)
    .execute();
  await recordToolVersion(tx, id, "delete");
}

async function systemService(
  tx: Tx,
  sub_organization_id: number,
  stamp: { last_updated: string; last_updated_by: string },
): Promise<number> {
  const present = await tx
    .selectFrom("services")
    .select("id")
    .where("sub_organization_id", "=", sub_organization_id)
    .where("is_system", "=", true)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (present) return present.id;
  const { id } = await tx
    .insertInto("services")
    .values({
      sub_organization_id,
      name: SYSTEM_SERVICE,
      description: "Tools that are built in",
      is_system: true,
      ...stamp,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}
