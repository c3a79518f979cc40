import type { Example } from "../examples/example.ts";
import { request } from "../examples/example.ts";
import type { Operation, Schema } from "../operations.ts";
import type { Random } from "./random.ts";
import { hostile, hostileText, mutated, nested, sample } from "./values.ts";

export type Wire = { method: string; url: string; body: unknown; headers: Record<string, string> };

type Material = {
  operation: Operation;
  /** A call that is in order. */
  example: Example;
  body: Schema | undefined;
  /** Records there are: the caller's, and a neighbour's. */
  ids: readonly (string | number)[];
};

/** A call that is in order, but for one to three things. */
export function fuzzed(random: Random, { operation, example, body, ids }: Material): Wire {
  const changed: Example = { ...example };
  const wire: ((wire: Wire) => void)[] = [];
  for (let left = 1 + random.int(3); left > 0; left--) {
    switch (random.pick(["body", "body", "body", "query", "query", "path", "raw", "headers"])) {
      case "body":
        if (changed.form) changed.form = mutatedForm(random, changed.form);
        else if (body) changed.body = mutated(random, changed.body ?? sample(random, body, ids), body, ids);
        break;
      case "query":
        wire.push((out) => {
          out.url += (out.url.includes("?") ? "&" : "?") + queryPart(random, operation, ids);
        });
        break;
      case "path":
        if (changed.at?.length) {
          const at = random.int(changed.at.length);
          const odd = random.chance(0.4) ? random.pick(ids) : hostileText(random).slice(0, 900);
          changed.at = changed.at.map((id, index) => (index === at ? odd : id));
        } else if (random.chance(0.2))
          wire.push((out) => {
            out.url = out.url.replace(
              /(?=\?|$)/,
              random.pick(["/", "//", "/%00", "/%ff", "/..", "/%2e%2e/x", ";a"]),
            );
          });
        break;
      case "raw":
        wire.push((out) => {
          out.body = rawBody(random, out.body);
        });
        break;
      case "headers":
        wire.push((out) => {
          const type = random.pick([
            "application/json",
            "text/plain",
            "application/xml",
            "multipart/form-data",
            "application/x-www-form-urlencoded",
            "application/json; charset=latin1",
            "x",
            "multipart/form-data; boundary=x",
          ]);
          out.headers = { ...out.headers, "content-type": type };
        });
        break;
    }
  }
  const out: Wire = request(operation, { ...changed, at: changed.at?.map(wellFormed) ?? [] });
  if (operation.method === "GET") out.body = undefined;
  for (const change of wire) change(out);
  if (operation.method === "GET") out.body = undefined;
  return out;
}

/** A half pair can't be percent-encoded. An empty part of a path would be another path. */
const wellFormed = (id: string | number) => (String(id) === "" ? "%" : String(id).toWellFormed());

function mutatedForm(random: Random, form: NonNullable<Example["form"]>): NonNullable<Example["form"]> {
  const name = random.pick(Object.keys(form));
  const { [name]: present, ...others } = form;
  const bytes = Buffer.from(Array.from({ length: 200 }, () => random.int(256)));
  switch (random.int(5)) {
    case 0:
      return others;
    case 1:
      return {
        ...form,
        [hostileText(random)
          .replace(/[\r\n"]/g, "")
          .slice(0, 200)]: "x",
      };
    case 2:
      return { ...form, [name]: hostileText(random) };
    case 3:
      return {
        ...form,
        [name]: {
          filename: hostileText(random)
            .replace(/[\r\n"]/g, "")
            .slice(0, 200),
          content: bytes,
        },
      };
    default: {
      if (!present || typeof present === "string" || Buffer.isBuffer(present))
        return { ...form, [name]: hostileText(random) };
      const text = present.content.toString("latin1");
      const cut = random.int(text.length + 1);
      const content = Buffer.from(
        text.slice(0, cut) + hostileText(random) + text.slice(cut + random.int(20)),
      );
      return { ...form, [name]: { ...present, content } };
    }
  }
}

function queryPart(random: Random, operation: Operation, ids: readonly (string | number)[]): string {
  const known = operation.parameters.filter((parameter) => parameter.in === "query");
  if (known.length === 0 || random.chance(0.15))
    return random.pick([
      "__proto__=1",
      "a[b]=1",
      "a[]=1",
      "=",
      "&&",
      "%",
      "%00=%00",
      "%ff=%fe",
      "constructor=1",
      "x".repeat(5000),
    ]);
  const { name, schema } = random.pick(known);
  const value = () => {
    if (random.chance(0.3)) return random.pick(["%", "%00", "%ff", "%ED%A0%80", "%zz", "+"]);
    const text = random.chance(0.4)
      ? sample(random, schema, ids)
      : random.chance(0.2)
        ? random.pick(ids)
        : hostile(random);
    return encodeURIComponent(
      (typeof text === "string" ? text : (JSON.stringify(text) ?? "")).toWellFormed().slice(0, 2000),
    );
  };
  const field = `${name}=${value()}`;
  if (name === "search_fields") return searchPart(random, schema, value);
  return random.chance(0.2) ? `${field}&${name}=${value()}` : field;
}

/** A search is a pair; alone each half is refused before it is looked at. */
function searchPart(random: Random, schema: Schema, value: () => string): string {
  const names = (schema.items?.enum ?? schema.anyOf?.[0]?.items?.enum ?? ["name"]) as string[];
  const [field, order] = [random.pick(names), random.pick(names)];
  return `search_fields=${field}&search_field_values=${value()}&order_by=${order}&page=${random.int(3)}`;
}

function rawBody(random: Random, body: unknown): unknown {
  const text = Buffer.isBuffer(body)
    ? body.toString("latin1")
    : typeof body === "string"
      ? body
      : (JSON.stringify(body) ?? "{}");
  const cut = random.int(text.length + 1);
  const spliced = (by: string | Buffer) =>
    Buffer.concat([Buffer.from(text.slice(0, cut)), Buffer.from(by), Buffer.from(text.slice(cut))]);
  switch (random.int(9)) {
    case 0:
      return text.slice(0, cut);
    case 1:
      return spliced(Buffer.from([0xff, 0xfe, 0x80]));
    case 2:
      return spliced(random.pick(["\0", '"', "}", "]", ",", "\\u0000", "\\ud800", "1e999", "\u2028"]));
    case 3:
      return nested(random.pick([99, 101, 5000, 100_000]));
    case 4:
      return `{"__proto__": {"polluted": true}, ${text.slice(1)}`;
    case 5:
      return `[${text}]`;
    case 6:
      return random.pick(["", "null", "0", '""', "[]", "{}", "true", "{", "\ufeff{}"]);
    case 7:
      return text.replace(/"([^"]*)":/, '"$1": null, "$1":');
    default:
      return `{"a": "${"x".repeat(2_200_000)}"}`;
  }
}
