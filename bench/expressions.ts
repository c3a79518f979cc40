/**
 * What a template and an expression cost when they are warm, beside the bare libraries over the same data in the same run.
 *
 *   node bench/expressions.ts
 *
 * Each figure is the median of 15 rounds. "bare" is the library's own evaluation of a plan made before: no bound in time or
 * memory, prototypes readable, numbers turned over by hand. "guarded" is that library as it would have to be run here: a
 * copy of the input without prototypes, under a timer.
 */
import { celEnv, parse, plan } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import { compile, TreeInterpreter } from "@jmespath-community/jmespath";
import { compileExpression, type Expression, evaluate } from "../src/expressions/expression.ts";
import { Scope } from "../src/expressions/scope.ts";
import { renderTemplate, variableLookup } from "../src/expressions/template.ts";
import { timekeeper } from "../src/expressions/timer.ts";

const ROUNDS = 15;
const ROUND_MS = 20;

const globals = {
  first_name: "Ann",
  "vars.pcp": "Dr. Adeyemi",
  "vars.clinic.phone": "+1 555 010 0000",
  "vars.session.date": "2025-01-02",
  "vars.session.language": "en-US",
  ...Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`vars.field_${i}`, `value ${i}`])),
};
const parts = {
  inputs: { email: "ann@example.com", age: 41, wants: ["call", "sms"] },
  local: {
    tries: 2,
    result: {
      slots: Array.from({ length: 50 }, (_, i) => ({
        id: i,
        open: i % 3 === 0,
        doctor: `doctor ${i % 7}`,
        at: "09:30",
      })),
    },
  },
};
const data = { ...parts, ...globals, vars: { pcp: "Dr. Adeyemi" } };

const prompt = `${"You are the front desk of a clinic. Be brief, be kind, never guess a diagnosis. ".repeat(30)}
Today is {{ vars.session.date }}. The caller is {{ first_name }}, a patient of \${pcp=our doctors}.
Answer in {{ vars.session.language }}; the clinic's number is {{vars.clinic.phone}}. Reply as {"text": "…"}.`;

const withinTime = timekeeper();
const rows: string[][] = [];
const scope = new Scope({ ...parts, globals });

const lookup = variableLookup(globals);
row("template, 2.7 KB with 5 variables", () => renderTemplate(prompt, lookup));
row("template, 30 characters with 1", () => renderTemplate("Hello {{ first_name }}, welcome!", lookup));
row("a new scope and `vars.pcp`", () => {
  evaluate(compiledFrom("vars.pcp"), new Scope({ ...parts, globals }));
});

for (const source of [
  "inputs.email",
  "local.tries >= `3` && inputs.age > `18`",
  "contains(inputs.email, '@') || vars.pcp == 'none'",
  "local.result.slots[?open && doctor == 'doctor 3'].id | [0]",
  "sort_by(local.result.slots, &doctor)[*].{id: id, at: at}",
]) {
  const tree = compile(source);
  const bare = () => TreeInterpreter.search(tree, data as never);
  const guarded = () => withinTime(() => TreeInterpreter.search(tree, withoutPrototypes(data) as never));
  comparison(`jmespath \`${source.replaceAll("`", "'").replaceAll("|", "\\|")}\``, source, bare, guarded);
}

const environment = celEnv({ funcs: strings });
const celData = withBigInts(data) as Record<string, never>;
for (const source of [
  'inputs.email.contains("@")',
  "local.tries >= 3 && inputs.age > 18",
  'inputs.email.matches("^[^@]+@[^@]+[.][a-z]+$")',
  'inputs.wants.exists(w, w == "sms")',
  "local.result.slots.exists(s, s.open && s.id > 40)",
  "local.result.slots.filter(s, s.open).map(s, s.id)",
]) {
  const planned = plan(environment, parse(source));
  const bare = () => planned(celData);
  const guarded = () => withinTime(() => planned(withBigInts(data) as Record<string, never>));
  comparison(`cel \`${source.replaceAll("|", "\\|")}\``, { type: "cel", expression: source }, bare, guarded);
}

row("finding a compiled expression again", () => compileExpression({ type: "cel", expression: "1 + 1" }));
row("a round of the timer alone", () => withinTime(() => 1));

const header = ["case", "here µs", "bare µs", "here / bare", "guarded µs", "here / guarded"];
process.stdout.write(
  `${[header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`,
);

function compiledFrom(expression: Expression) {
  const compilation = compileExpression(expression);
  if (!compilation.ok) throw new Error(compilation.message);
  return compilation.expression;
}

function row(name: string, work: () => unknown): void {
  rows.push([name, micros(measured([work])[0]!), "", "", "", ""]);
}

function comparison(name: string, expression: Expression, bare: () => unknown, guarded: () => unknown): void {
  const compiled = compiledFrom(expression);
  const [ours, theirs, bounded] = measured([() => evaluate(compiled, scope), bare, guarded]) as [
    number,
    number,
    number,
  ];
  const ratio = (of: number) => (ours / of).toFixed(2);
  rows.push([name, micros(ours), micros(theirs), ratio(theirs), micros(bounded), ratio(bounded)]);
}

/** Medians in µs a call. The rounds of all go in turn, so that a busy machine slows each of them alike. */
function measured(works: (() => unknown)[]): number[] {
  const counts = works.map((work) => callsIn(work, ROUND_MS));
  const times: number[][] = works.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    works.forEach((work, i) => {
      times[i]!.push(timeOf(work, counts[i]!) / counts[i]!);
    });
  }
  return times.map((of) => of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)]! * 1_000);
}

/** How many calls fill a round, found after warming up; twice, since one pause of the machine looks like a full round. */
function callsIn(work: () => unknown, ms: number): number {
  let calls = 1;
  while (Math.min(timeOf(work, calls), timeOf(work, calls)) < ms) calls *= 2;
  return calls;
}

function timeOf(work: () => unknown, calls: number): number {
  const start = performance.now();
  for (let i = 0; i < calls; i++) work();
  return performance.now() - start;
}

function micros(time: number): string {
  return time.toFixed(2);
}

function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.create(null);
  for (const [name, member] of Object.entries(value)) copy[name] = withoutPrototypes(member);
  return copy;
}

function withBigInts(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withBigInts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withBigInts(member)]));
}
