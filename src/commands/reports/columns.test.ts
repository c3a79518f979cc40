import { expect, test } from "vitest";
import { columns } from "./columns.ts";

test("columns stand under each other beside names in Chinese and with emoji", () => {
  expect(
    columns([
      ["", "Turns", "says"],
      ["预约", "3", "better"],
      ["Café 👩‍👩‍👧", "12", "worse"],
    ]),
  ).toEqual(["         Turns  says", "预约         3  better", "Café 👩‍👩‍👧     12  worse"]);
  expect(
    columns(
      [
        ["1", "東京", "live"],
        ["12", "Ada", "off"],
      ],
      "words",
    ),
  ).toEqual(["1   東京  live", "12  Ada   off"]);
});
