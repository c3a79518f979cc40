import { type EventDescription, OUTBOUND_EVENT_TYPES } from "./outbound-event-types.ts";

/*
 * The catalogue of events: what may be recorded, when that is, and the attributes it has. The compiler holds every writer to
 * it, and docs/events.md is derived from it.
 */
export const EVENT_TYPES = {
  "session-start": {
    category: "conversation",
    when: "a session begins",
    attributes: ["channel", "is_test", "is_outbound"],
  },
  "session-end": {
    category: "conversation",
    when: "a session ends; `reason` is `user`, `agent`, `idle`, `transfer`, `max-duration`, `error` or `operator`",
    attributes: ["reason"],
  },
  "silence-timeout": {
    category: "conversation",
    when: "a caller said nothing until the timeout; `count`: how often in a row",
    attributes: ["count"],
  },
  "llm-error": {
    category: "conversation",
    when: "no model gave an answer and the person heard an apology",
    attributes: [],
  },

  hangup: { category: "automation", when: "the agent ends the session by the tool `hangup`", attributes: [] },
  "phone-transfer": {
    category: "automation",
    when: "a call is transferred. `reason` is what the agent gave, or `fallback` where the agent could not answer. `outcome` (`success`, `no-answer`, `busy`, `failed`, `voicemail`), `end_time` and `duration_s` are added when the transfer ends",
    attributes: [
      "contact_type",
      "name",
      "phone",
      "reason",
      "start_time",
      "outcome",
      "end_time",
      "duration_s",
    ],
  },
  "language-change": {
    category: "automation",
    when: "the agent changes the language by the tool `set_current_language`",
    attributes: ["from", "to"],
  },
  "voicemail-left": {
    category: "automation",
    when: "the agent has left a message on a voicemail",
    attributes: [],
  },
  "dtmf-sent": { category: "automation", when: "the agent presses keys", attributes: ["digits"] },
  "tool-error": {
    category: "automation",
    when: "a tool call failed; the description says why",
    attributes: [],
  },
  "words-withheld": {
    category: "automation",
    when: "the agent's words broke a rule of its safety settings and were not said",
    attributes: ["rule"],
  },

  ...OUTBOUND_EVENT_TYPES,

  "answers-held": {
    category: ["text", "mail"],
    when: "a dialogue looks like a loop with another program and is not answered (`why`: `repeated` or `pace`)",
    attributes: ["why", "our_address", "words"],
  },
  "answer-not-delivered": {
    category: ["text", "mail"],
    when: "an answer by SMS, WhatsApp or e-mail did not arrive",
    attributes: ["channel", "status", "why"],
  },
  "mail-refused": {
    category: "mail",
    when: "a mail that came in can't be read",
    attributes: ["from", "to", "why"],
  },
  "mail-fate-unknown": {
    category: "mail",
    when: "nobody knows whether a mail was sent; it is not sent again",
    attributes: ["message_id", "subject", "note"],
  },
  "mail-domain-proven": {
    category: "mail",
    when: "a sending domain is proven",
    attributes: ["domain", "proven_by"],
  },
  "mail-domain-released": {
    category: "mail",
    when: "a sending domain is released",
    attributes: ["domain", "proven_by"],
  },
  "number-assigned": {
    category: "channels",
    when: "the organization gets a telephone number",
    attributes: [],
  },
  "number-released": {
    category: "channels",
    when: "the organization gives a telephone number back",
    attributes: [],
  },

  "address-suppressed": {
    category: "suppression",
    when: "an address must not be contacted any more",
    attributes: ["scope", "reason", "through", "said", "message_id"],
  },
  "address-restored": {
    category: "suppression",
    when: "an address may be contacted again",
    attributes: ["through", "said", "message_id"],
  },
  "opt-out-not-judged": {
    category: "suppression",
    when: "the model that judges opt-outs gave no answer about a message",
    attributes: [],
  },
  "list-imported": {
    category: "suppression",
    when: "a file of suppressions (`added`, `lifted`, `known`) or of a do-not-call list (`list`, `as_of`, `numbers`, `repeated`) was imported",
    attributes: ["file_name", "added", "lifted", "known", "list", "as_of", "numbers", "repeated"],
  },
  "consent-revoked": {
    category: "consent",
    when: "a person no longer agrees to be contacted",
    attributes: ["through", "said"],
  },
  "consents-imported": {
    category: "consent",
    when: "a file of consents was imported",
    attributes: ["file_name", "added", "known", "withdrawn", "revoked"],
  },

  "insight-execution-completed": {
    category: "insights",
    when: "an analysis of a session or a file is done",
    attributes: ["execution_id", "workflow_id", "session_id", "upload_file_id"],
  },
  "insight-execution-failed": {
    category: "insights",
    when: "an analysis failed and is not tried again",
    attributes: ["execution_id", "workflow_id", "session_id", "upload_file_id"],
  },
  "insight-workflow-activated": {
    category: "insights",
    when: "an insight workflow is activated; `queued`: executions of its backfill",
    attributes: ["workflow_id", "workflow_name", "queued"],
  },
  "insight-workflow-inactivated": {
    category: "insights",
    when: "an insight workflow is deactivated",
    attributes: ["workflow_id", "workflow_name", "queued"],
  },
  "insight-backfill-completed": {
    category: "insights",
    when: "the analysis of past sessions is over",
    attributes: ["workflow_id", "backfill_id", "analysed"],
  },

  "experiment-started": {
    category: "experiments",
    when: "an experiment is started",
    attributes: ["experiment_id", "agent_id"],
  },
  "experiment-weights": {
    category: "experiments",
    when: "the split of an experiment changes, by a person or by its ramp",
    attributes: ["experiment_id", "agent_id"],
  },
  "experiment-adopted": {
    category: "experiments",
    when: "the winning version of an experiment is taken live",
    attributes: ["experiment_id", "agent_id"],
  },
  "experiment-returned": {
    category: "experiments",
    when: "a guardrail of an experiment returns everybody to the control",
    attributes: ["experiment_id", "agent_id"],
  },
  "experiment-stopped": {
    category: "experiments",
    when: "an experiment is stopped",
    attributes: ["experiment_id", "agent_id"],
  },
  test_run_finished: {
    category: "tests",
    when: "a run of a test suite is finished",
    attributes: ["run_id", "suite_id", "suite", "agent", "is_scheduled"],
  },
  test_run_missed: {
    category: "tests",
    when: "a scheduled run did not take place",
    attributes: ["suite_id", "suite", "due_at", "note"],
  },

  "person-erased": {
    category: "privacy",
    when: "everything of one person was deleted",
    attributes: ["erasure_id", "counts", "address_hash", "linked_hashes", "requested_by"],
  },
  retention: {
    category: "privacy",
    when: "what was older than the organization keeps it was deleted",
    attributes: ["retention", "counts"],
  },
  "recording-not-kept": {
    category: "limits",
    when: "a call's recording, or a part of it, found no room or could not be written; `url` is where the carrier still has it",
    attributes: ["url"],
  },
  "mail-files-not-kept": {
    category: "limits",
    when: "the files of a mail found no room",
    attributes: ["names"],
  },
  "model-tokens-used-up": {
    category: "limits",
    when: "the organization has used the tokens of its day",
    attributes: ["limit"],
  },
  "model-cost-used-up": {
    category: "limits",
    when: "the organization has spent what models may cost in a day",
    attributes: ["limit"],
  },
  "visitors-used-up": {
    category: "limits",
    when: "as many visitors as the organization allows in a minute have begun a chat",
    attributes: ["limit"],
  },
  job_set_aside: {
    category: "platform",
    when: "the program stopped again and again while it worked on something, which is left until an operator retries it",
    attributes: ["job_id", "name", "session_id", "execution_id", "workflow_id", "upload_file_id"],
  },
} as const satisfies Record<string, EventDescription>;

type Types = typeof EVENT_TYPES;
export type EventType = keyof Types;

type OneOf<T> = T extends readonly (infer Each)[] ? Each : T;

/** What is said of an event of this type. */
export type EventOf<T extends EventType> = {
  [Type in T]: {
    category: OneOf<Types[Type]["category"]>;
    type: Type;
    description: string;
    attributes?: { readonly [Name in Types[Type]["attributes"][number]]?: unknown };
  };
}[T];

/** The type of an event that a `log` tool writes: its author chooses it. */
export type LoggedType = string & { readonly chosen: "by the author of a log tool" };

export type LoggedEvent = {
  category: string;
  type: LoggedType;
  description: string;
  attributes: Record<string, unknown>;
};
