import { z } from "zod";
import { askAboutKey, KeyTested } from "../accounts/ask-about-key.ts";
import { addProviderKeys, type KeyAccess, ownKeys } from "../accounts/provider-keys.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import { speechKeyCheck } from "./speech-key-check.ts";

/** Services that hear and speak on calls, and whose keys are kept here; OpenAI and Google have those of models. */
const CALL_SPEECH = ["deepgram", "assemblyai", "elevenlabs", "cartesia"] as const;
export type CallSpeech = (typeof CALL_SPEECH)[number];

export type CallSpeechSettings = Partial<Record<CallSpeech, KeyAccess>>;

type Deps = { db: Db; clock: Clock; vault: Vault; egress: Egress; callSpeech: CallSpeechSettings };

const provider = z.enum(CALL_SPEECH);
const SpeechProviderTest = KeyTested.extend({ provider }).meta({ id: "SpeechProviderTest" });

/** An organization's own keys for services that hear and speak; they win over the installation's. */
export function speechProviderRoutes(api: Api, deps: Deps): void {
  addProviderKeys(api, deps, {
    table: "speech_providers",
    schema: "SpeechProvider",
    noun: "Speech provider",
    one: "a speech service",
    many: "speech services",
    providers: CALL_SPEECH,
    otherSources: ["environment", "none"],
    sourceMeaning: "The owner of the key used on calls; none: the service is not used",
    async withoutOwn(_from, caller, name) {
      const given = deps.callSpeech[name];
      // Where the operator's own servers are is told to the operator.
      const base_url = caller.permissions.has("platform_admin") ? (given?.base_url ?? null) : null;
      return { source: given ? "environment" : "none", base_url };
    },
  });

  api.post(
    "/api/v1/speech_providers/:provider/test",
    {
      summary: "Test the key of a speech service",
      description: "A request that costs nothing. Nothing is stored.",
      tag: "speech_providers",
      permission: "integrations_write",
      params: z.object({ provider }),
      response: SpeechProviderTest,
    },
    async ({ caller, params }) => {
      const used = (await callSpeechKeys(deps, caller.sub_organization_id))[params.provider];
      if (!used) throw new Fault("refused", `There is no key for ${params.provider}: it is not used.`);
      const isTrusted = used === deps.callSpeech[params.provider];
      const { egress } = deps;
      const answer = await askAboutKey({ egress, caller, isTrusted }, speechKeyCheck(params.provider, used));
      return { provider: params.provider, ...answer };
    },
  );
}

/** The keys that calls of a sub-organization use: its organization's, else the installation's. */
export async function callSpeechKeys(
  { db, vault, callSpeech }: Pick<Deps, "db" | "vault" | "callSpeech">,
  sub_organization_id: number,
): Promise<CallSpeechSettings> {
  const own = await ownKeys({ db, vault }, "speech_providers", sub_organization_id, CALL_SPEECH);
  return { ...callSpeech, ...own };
}
