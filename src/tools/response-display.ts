import { z } from "zod";
import { anyJson, boundedList, integer } from "../api/schema.ts";
import { kept } from "./kept-object.ts";

/*
 * How the result of a tool becomes cards in a live chat: `items_path` picks the list in the result, and the mapping
 * builds one card from each of its items.
 */

/** A value of a card: written out, or taken from the item. */
const DisplayValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z
    .object({
      path: z.string().nullish(),
      template: z.string().nullish(),
      default: anyJson().optional().describe("Stands in when the path or template gives nothing."),
    })
    .meta({ id: "DisplayValueSource" }),
]);

const value = DisplayValue.nullish();
const icon = z.enum(["phone", "email", "chat", "calendar", "arrow"]).default("arrow");

const DisplayActionMapping = z
  .object({
    type: z.enum(["text", "link", "button", "message"]),
    text: value,
    link: value,
    actionId: value,
    message: value,
    icon,
  })
  .meta({ id: "DisplayActionMapping" });
type DisplayActionMapping = z.infer<typeof DisplayActionMapping>;

const Cta = z
  .object({ text: value, icon, link: value, actionId: value, message: value })
  .meta({ id: "DisplayCtaMapping" });

const media = {
  imageUrl: value,
  originalImageWidth: value,
  originalImageHeight: value,
  maxHeight: value,
};
const content = {
  header: value,
  subheader: value,
  description: value,
  avatarImageUrl: value,
  contentAlwaysLeft: value,
};
type Value = z.infer<typeof value>;
type Part = { [name: string]: Value };

/** `{"media": {"imageUrl": …}}` and `{"media.imageUrl": …}` are both in use; each is kept as it was sent. */
const dotted = (part: string, fields: Record<string, typeof value>) =>
  Object.fromEntries(Object.keys(fields).map((field) => [`${part}.${field}`, value]));

const DisplayMapping = kept({
  media: kept(media).nullish(),
  content: kept(content).nullish(),
  ...dotted("media", media),
  ...dotted("content", content),
  actions: boundedList(DisplayActionMapping).nullish(),
  cta: Cta.nullish(),
}).meta({ id: "DisplayMapping" });

export const ResponseDisplayConfig = z
  .object({
    version: integer().prefault(1),
    type: z.literal("card-list"),
    items_path: z.string(),
    mapping: DisplayMapping,
    actions: boundedList(DisplayActionMapping)
      .optional()
      .describe("Beside the mapping; its own actions win."),
  })
  .meta({ id: "ResponseDisplayConfig" });
export type ResponseDisplayConfig = z.infer<typeof ResponseDisplayConfig>;

/** What one card is built from, whichever way the configuration spells it. */
export type CardTemplate = {
  media: Part;
  content: Part;
  actions: DisplayActionMapping[];
  cta: z.infer<typeof Cta> | null;
};

export function cardTemplate({ mapping, actions }: ResponseDisplayConfig): CardTemplate {
  const values = mapping as { [name: string]: Value } & typeof mapping;
  const part = (name: "media" | "content", fields: object): Part =>
    Object.fromEntries(
      Object.keys(fields).flatMap((field) => {
        const nested = mapping[name] as Part | null | undefined;
        const found = nested?.[field] ?? values[`${name}.${field}`];
        return found == null ? [] : [[field, found]];
      }),
    );
  return {
    media: part("media", media),
    content: part("content", content),
    actions: mapping.actions ?? actions ?? [],
    cta: mapping.cta ?? null,
  };
}
