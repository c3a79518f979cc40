import { expect, test } from "vitest";
import { cardTemplate, ResponseDisplayConfig } from "./response-display.ts";

const read = (mapping: object, more: object = {}) =>
  cardTemplate(ResponseDisplayConfig.parse({ type: "card-list", items_path: "items", mapping, ...more }));
const action = { type: "link", text: "Open", icon: "arrow" };

test("a card is built from nested and from dotted fields alike, nested ones first", () => {
  const mapping = {
    media: { imageUrl: { path: "photo" }, maxHeight: null },
    "media.maxHeight": 120,
    "media.imageUrl": "unused.png",
    "content.header": { template: "{{ title }}" },
    content: { contentAlwaysLeft: false },
  };
  expect(read(mapping)).toEqual({
    media: { imageUrl: { path: "photo" }, maxHeight: 120 },
    content: { header: { template: "{{ title }}" }, contentAlwaysLeft: false },
    actions: [],
    cta: null,
  });
});

test("actions inside the mapping win over those beside it, even when there are none", () => {
  expect(read({}, { actions: [action] }).actions).toEqual([action]);
  expect(read({ actions: [] }, { actions: [action] }).actions).toEqual([]);
  expect(read({ actions: [{ ...action, text: "In" }] }, { actions: [action] }).actions).toEqual([
    { ...action, text: "In" },
  ]);
});

test("what is absent stays absent", () => {
  expect(read({ cta: { text: "Call", icon: "phone" } })).toEqual({
    media: {},
    content: {},
    actions: [],
    cta: { text: "Call", icon: "phone" },
  });
});
