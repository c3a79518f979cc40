import fc, { type Arbitrary } from "fast-check";
import { ACTIONS_OF_EVENT, type TaskEvent } from "../../src/tools/task-action.ts";

/*
 * Tool definitions without faults, written in full: every default is there, every spelling is the present one. Such a
 * definition comes back exactly as it was sent; `respelt` sends the same one the way older and lazier clients do.
 */

// biome-ignore lint/suspicious/noExplicitAny: documents whose shape is what is being tested
type Document = any;

const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const text = fc.string({ unit: "grapheme", maxLength: 20 }).filter((value) => !value.includes("\0"));

/** Keys of free maps start with k, so that none is the name of a field. */
const anyJson: Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21, ""),
    text,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^k\w{0,3}$/), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;
const freeMap = fc.dictionary(fc.stringMatching(/^k\w{0,3}$/), anyJson, {
  maxKeys: 3,
  noNullPrototype: true,
});

const expression = fc.constantFrom<unknown>(
  "inputs.day",
  "local.tries >= `3`",
  { type: "jp", expression: "contains(inputs.email, '@')" },
  { type: "jmespath", expression: "length(slots)" },
  { type: "cel", expression: "inputs.email.contains('@')" },
  {
    case: [
      { value: 1, if: "a" },
      { value: null, if: { type: "cel", expression: "true" } },
    ],
  },
);

const maybe = <T>(value: Arbitrary<T>) => fc.option(value, { nil: null });

/** Some of the optional fields are there, the others are absent. */
const object = (
  required: Record<string, Arbitrary<unknown>>,
  optional: Record<string, Arbitrary<unknown>> = {},
): Arbitrary<Document> =>
  fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required), noNullPrototype: true });

const list = (item: Arbitrary<unknown>, maxLength = 3) => fc.array(item, { maxLength });

/** A value, an expression that gives one, or neither; never both. */
const withSource = (base: Arbitrary<Document>): Arbitrary<Document> =>
  fc
    .tuple(base, fc.oneof(object({}, { value: anyJson }), object({ valueFrom: maybe(expression) })))
    .map(([fields, source]) => ({ ...fields, ...source }));

const condition = { if: maybe(expression) };
const names = maybe(list(word));
const actions: Record<string, Arbitrary<Document>> = {
  set: withSource(object({ action: fc.constant("set"), name: word }, condition)),
  inc: object({ action: fc.constant("inc"), name: word, by: fc.integer() }, condition),
  get: withSource(
    object({ action: fc.constant("get"), overwrite: fc.boolean() }, { inputs: names, ...condition }),
  ),
  load: withSource(
    object({ action: fc.constant("load"), overwrite: fc.boolean() }, { inputs: names, ...condition }),
  ),
  save: object({ action: fc.constant("save") }, { name: maybe(word), inputs: names, ...condition }),
  call: object(
    { action: fc.constant("call"), name: word.map((name) => `tool_${name}`) },
    {
      arguments: maybe(freeMap),
      result: maybe(object({}, { save: list(object({ from: expression, to: word })) })),
      ...condition,
    },
  ),
  say: object({ action: fc.constant("say"), text, role: fc.constantFrom("user", "assistant") }, condition),
};

const hooks = (...events: TaskEvent[]) =>
  object(
    {},
    Object.fromEntries(
      events.map((event) => {
        const allowed = ACTIONS_OF_EVENT[event].map((name) => actions[name] as Arbitrary<unknown>);
        return [event, maybe(list(fc.oneof(...allowed)))];
      }),
    ),
  );

const described = {
  type: maybe(fc.constantFrom("string", "number", "integer", "boolean", "object", "array", "null")),
  description: maybe(text),
  title: maybe(text),
  format: maybe(word),
  pattern: maybe(fc.constant("^[a-z]+$")),
  enum: maybe(list(text)),
  examples: maybe(list(anyJson)),
};
const variable = withSource(object({ name: word }, { ...described, ...condition }));
const input = object({ name: word, required: fc.boolean() }, described);

const common = {
  id: maybe(word),
  config: maybe(freeMap),
  variables: maybe(list(variable)),
  metadata: maybe(object({}, { priority: maybe(fc.integer()) })),
};
const version = { version: fc.constant("v1alpha") };

const step = object(
  { goal: text },
  {
    instructions: list(fc.oneof(text, object({ text }, condition))),
    tools: object({}, { call: maybe(fc.boolean()), allow: names, allowGoToStep: maybe(fc.boolean()) }),
    inputs: list(input),
    on: hooks("start", "enter", "presubmit", "submit"),
  },
);

/** Steps with ids of their own, whose transitions lead to one another. */
const steps = fc.array(step, { maxLength: 4 }).chain((all) => {
  const ids = all.map((_, index) => `step ${index}`);
  if (ids.length === 0) return fc.constant(all);
  const to = fc.constantFrom(...ids);
  const next = list(fc.oneof(to, object({ id: to }, { requires: names, ...condition })));
  return fc
    .array(next, { minLength: ids.length, maxLength: ids.length })
    .map((nexts) => all.map((one, index) => ({ ...one, id: ids[index], next: nexts[index] })));
});

const task: Arbitrary<Document> = fc.oneof(
  object({ type: fc.constant("steps"), ...version, start: fc.constantFrom("auto", "manual"), steps }, common),
  object(
    { type: fc.constant("expression"), ...version },
    {
      inputs: list(input),
      expression: maybe(expression),
      output: anyJson,
      on: hooks("start", "submit"),
      ...common,
    },
  ),
  object({ type: fc.constant("event"), ...version }, { on: hooks("start"), ...common }),
);

/** What the model sees of a task is named apart from its siblings. */
const named = (one: Document, index: number): Document =>
  index % 2 === 0 ? { ...one, tool: { name: `task_${index}`, description: null } } : one;
const tasks = fc.oneof(
  task.map((one) => named(one, 0)),
  list(task).map((all) => all.map(named)),
  fc.constant(null),
);

const statics = fc.uniqueArray(
  fc.oneof(
    ...(
      [
        ["string", text],
        ["int", fc.integer()],
        ["boolean", fc.boolean()],
        ["data_source_list", list(text)],
      ] as const
    ).map(([type, value]) =>
      object(
        { name: word, required: fc.boolean(), type: fc.constant(type) },
        { description: maybe(text), default: maybe(value as Arbitrary<unknown>) },
      ),
    ),
  ),
  { selector: (parameter) => parameter.name, maxLength: 3 },
);

const transform = object(
  { action: fc.constantFrom("default", "override", "remove") },
  {
    when: maybe(object({ key: word, value: text, operator: fc.constantFrom("eq", null) })),
    value: anyJson,
    format: maybe(text),
  },
);

const shown = fc.oneof(
  fc.constantFrom<unknown>(null, 7, 1.5, true),
  text,
  object({}, { path: maybe(word), template: maybe(text), default: anyJson }),
);
const icon = fc.constantFrom("phone", "email", "chat", "calendar", "arrow");
const target = { text: shown, link: shown, actionId: shown, message: shown };
const cardAction = object({ type: fc.constantFrom("text", "link", "button", "message"), icon }, target);
const display = object(
  {
    version: fc.constant(1),
    type: fc.constant("card-list"),
    items_path: word,
    mapping: object(
      {},
      {
        media: maybe(object({}, { imageUrl: shown, maxHeight: shown })),
        content: maybe(object({}, { header: shown, description: shown })),
        "media.originalImageWidth": shown,
        "content.subheader": shown,
        actions: maybe(list(cardAction)),
        cta: maybe(object({ icon }, target)),
      },
    ),
  },
  { actions: list(cardAction) },
);

const parameters = fc.constantFrom<unknown>(
  {},
  {
    type: "object",
    properties: { day: { type: "string", enum: ["a", "b"] }, n: { type: ["integer", "null"] } },
  },
  { type: "object", properties: {}, required: [], additionalProperties: false, title: "T" },
);

export const arbitraryDefinition = (name: string): Arbitrary<Document> =>
  object(
    {
      tool: object({
        type: fc.constant("function"),
        function: object({ name: fc.constant(name), description: text, parameters }),
      }),
    },
    {
      type: maybe(fc.constantFrom("action", "endpoint", "context", "log")),
      endpoint: maybe(
        object(
          {
            url: fc.constant("https://a.example/{day}"),
            method: fc.constantFrom("get", "post", "put", "delete"),
            argument_location: fc.constantFrom("body", "form", "path", "query"),
          },
          { timeout: maybe(fc.integer({ min: 1, max: 120 })) },
        ),
      ),
      context: maybe(object({}, { task: tasks })),
      defaults: fc.oneof(
        maybe(
          fc.dictionary(word, fc.oneof(anyJson, object({ transform })), {
            maxKeys: 3,
            noNullPrototype: true,
          }),
        ),
        anyJson,
      ),
      static_parameters: maybe(statics),
      result: anyJson,
      options: maybe(object({ propagate_tool_result: fc.boolean() })),
      response_display: maybe(display),
    },
  );

const EARLIER: Record<string, string> = {
  valueFrom: "value_from",
  allowGoToStep: "allow_go_to_step",
  argument_location: "argumentLocation",
};
const DEFAULTS: Record<string, unknown> = {
  version: "v1alpha",
  start: "auto",
  by: 1,
  role: "assistant",
  overwrite: false,
  operator: "eq",
  icon: "arrow",
  propagate_tool_result: false,
};

/** The same definition in earlier spellings, without defaults, and with fields that nobody knows; those of tasks would be kept. */
export function respelt(document: Document): Document {
  if (Array.isArray(document)) return document.map(respelt);
  if (typeof document !== "object" || document === null) return document;
  const sent: Document = {};
  for (const [key, value] of Object.entries<Document>(document)) {
    if (key in DEFAULTS && value === DEFAULTS[key]) continue;
    const single = key === "instructions" && value.length === 1 && typeof value[0] === "string";
    sent[EARLIER[key] ?? key] = single ? value[0] : respelt(value);
  }
  if ("function" in sent) sent.nobody_knows = { this: ["field"] };
  return sent;
}
