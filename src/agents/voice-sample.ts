import { z } from "zod";
import type { Api } from "../api/server.ts";
import { Fault } from "../base/errors.ts";
import { checkVoice, voiceFields } from "./language-config.ts";

const VoiceSampleCreateRequest = z
  .object({
    ...voiceFields,
    text: z.string().default("").describe("Empty: a sentence of the service's."),
    apply_pronunciation_overrides: z.boolean().default(false),
  })
  .superRefine(checkVoice)
  .meta({ id: "VoiceSampleCreateRequest" });

/** Language groups are what voice groups were called. */
const PATHS = [
  { path: "/api/v1/voice_groups/voices/sample", deprecated: false },
  { path: "/api/v1/language_groups/voices/sample", deprecated: true },
];

/** No speech provider can be configured yet, so a voice that exists is answered with 501 and one that doesn't with 422. */
export function voiceSampleRoutes(api: Api): void {
  for (const { path, deprecated } of PATHS) {
    api.post(
      path,
      {
        summary: "Hear a voice",
        description: "Answers 501 as long as this installation has no speech provider.",
        tag: "language_groups",
        permission: "language_groups_write",
        body: VoiceSampleCreateRequest,
        response: z.string().meta({ format: "binary" }),
        produces: "application/octet-stream",
        deprecated,
      },
      ({ body: { voice_display_name, voice_provider } }) => {
        throw new Fault(
          "unsupported",
          `${voice_display_name} can't be heard here: this installation has no speech provider for the voices of ${voice_provider}.`,
        );
      },
    );
  }
}
