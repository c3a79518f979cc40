import { expect, test } from "vitest";
import type { DataSourceDetailResponse } from "../api-types.ts";
import { fieldsOf, optionalText, VERSION_NOTE } from "./record-fields.ts";

const UPDATE = "PUT /api/v1/data_sources/";
const rest = { labels: { initial: [] }, chunk: { initial: true }, edit_comments: VERSION_NOTE } as const;
const fields = fieldsOf(UPDATE, {
  name: { initial: "" },
  description: optionalText(),
  chunk_delimiter: optionalText("Chunk separator"),
  text: { initial: "" },
  ...rest,
});
const STORED: DataSourceDetailResponse = {
  id: 7,
  name: "Prices",
  description: null,
  labels: ["clinic"],
  chunk: false,
  chunk_delimiter: "---",
  text: "A visit is 40 euros.",
  edit_comments: "as said before",
  updated_at: "2026-11-20T10:00:00Z",
  last_updated_by: null,
};

test("a new record begins with what its fields say", () => {
  expect(fields.values(null)).toEqual({
    name: "",
    description: "",
    labels: [],
    chunk: true,
    chunk_delimiter: "",
    text: "",
    edit_comments: "",
  });
});

test("a form shows the stored record, empty where it has null, and begins its version note anew", () => {
  expect(fields.values(STORED)).toEqual({
    name: "Prices",
    description: "",
    labels: ["clinic"],
    chunk: false,
    chunk_delimiter: "---",
    text: "A visit is 40 euros.",
    edit_comments: "",
  });
});

test("what is left empty is sent as null, and a version note with a change only", () => {
  const typed = { ...fields.values(STORED), chunk_delimiter: "" };
  const sent = {
    name: "Prices",
    description: null,
    labels: ["clinic"],
    chunk: false,
    chunk_delimiter: null,
    text: "A visit is 40 euros.",
  };
  expect(fields.body(typed, null)).toEqual(sent);
  expect(fields.body(typed, STORED)).toEqual({ ...sent, edit_comments: null });
  expect(fields.body({ ...typed, edit_comments: "New prices" }, STORED)).toMatchObject({
    edit_comments: "New prices",
  });
});

test("a field that is sent as it is stored takes no part in the form", () => {
  const kept = fieldsOf(UPDATE, {
    name: { initial: "" },
    description: "as stored",
    chunk_delimiter: "not sent",
    text: { initial: "" },
    ...rest,
  });
  const values = kept.values({ ...STORED, description: "For patients" });
  expect(values).not.toHaveProperty("description");
  expect(kept.body(values, { ...STORED, description: "For patients" })).toMatchObject({
    description: "For patients",
  });
  expect(kept.body(values, STORED)).not.toHaveProperty("chunk_delimiter");
});

test("labels name fields for the review", () => {
  expect(fields.labels).toEqual({ chunk_delimiter: "Chunk separator", edit_comments: "Version note" });
});

test("a field that is unknown, forgotten or of another type does not compile", () => {
  const whole = {
    name: { initial: "" },
    description: optionalText(),
    text: { initial: "" },
    ...rest,
  } as const;
  const chunk_delimiter = optionalText();
  // @ts-expect-error the API knows no field `title`
  fieldsOf(UPDATE, { ...whole, chunk_delimiter, title: { initial: "" } });
  // @ts-expect-error `chunk_delimiter` is forgotten, and a PUT would empty it
  fieldsOf(UPDATE, whole);
  // @ts-expect-error whether a text is split is no text
  fieldsOf(UPDATE, { ...whole, chunk_delimiter, chunk: { initial: "yes" } });
  // @ts-expect-error a name can't be null
  fieldsOf(UPDATE, { ...whole, chunk_delimiter, name: { initial: null } });
  // @ts-expect-error no operation has this address
  fieldsOf("PUT /api/v1/data_source/", { ...whole, chunk_delimiter });
  // @ts-expect-error the form has no field `title`
  expect(fields.values(null).title).toBeUndefined();
});
