import type { InputIssue } from "../base/errors.ts";
import type { Form } from "./input/form.ts";
import type { Misplaced } from "./input/misplaced-members.ts";

/** What an operation of the API is, for its route and for openapi.json. */
export type Operation<P, Q, B, R> = {
  summary: string;
  description?: string;
  tag: string;
  /** The permission a caller needs; `"public"` for the few operations that need no sign-in. */
  permission: string;
  /** One that some calls need besides; the handler asks for it with `requirePermission`. */
  also_permission?: string;
  params?: P;
  query?: Q;
  body?: B;
  /**
   * What its rules find in a body whose shape is wrong, so that one answer names all there is to mend. Only then asked: the
   * handler checks a body that was read.
   */
  also_wrong?(given: unknown): InputIssue[];
  /** Settings that are refused where they are not read, with where they belong. */
  misplaced?: Misplaced;
  /** The body is a form: texts and files. */
  form?: Form;
  response?: R;
  /** What kind of bytes a success answers with, where they are no JSON. */
  produces?: string | string[];
  /** 200 unless the public API says otherwise. */
  status?: number;
  /** Refusals that the public API names for it, beside 401, 403 and 422. */
  refusals?: (400 | 404 | 409 | 412)[];
  deprecated?: boolean;
  /** Kept out of openapi.json: pages and internals. */
  hidden?: boolean;
  /**
   * It asks the database for much and changes nothing: answered by the reading connections (db/reading.ts), within the
   * caller's share of them. Every GET of somebody signed in is, without exception; a GET that strangers call, or a POST,
   * only when it says so.
   */
  reads?: true;
  /**
   * What of a person a success hands out, such as "transcripts", and the parameter of the path that names the record. Each
   * read has an audit entry where the organization asks for it. Where no path names the record, `ids` reads from the answer
   * which ones were handed out.
   */
  opens?: { resource: string; by: string } | { resource: string; ids(answer: never): string[] };
  /** 1 MB when left out. */
  body_limit_bytes?: number;
  /** Entries of lists and members of objects in a JSON body; 20,000 when left out. */
  body_limit_values?: number;
  /** Calls per minute, for operations that need no sign-in: counted per session where the path names one, else per address. */
  calls_per_minute?: number;
};
