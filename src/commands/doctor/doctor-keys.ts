import type { KeyQuestion } from "../../accounts/ask-about-key.ts";
import { errorText } from "../../base/errors.ts";
import type { Config, LlmProvider, Secrets } from "../../config.ts";
import { isUntrustedCertificate } from "../../egress/egress-failure.ts";
import { KEY_CHECK_MS, keyCheck, keyVerdict } from "../../llm/key-check.ts";
import { speechKeyCheck } from "../../speech/speech-key-check.ts";
import type { CallSpeech } from "../../speech/speech-provider.ts";
import { type Finding, OWN_CA } from "./finding.ts";

/** Keys of services that hear and speak on calls; without one, the offline stand-ins do. */
export function checkSpeechKeys(config: Config, secrets: Secrets): Promise<Finding[]> {
  const bases = config.speech_base_urls;
  const keys: [CallSpeech, string, string | null | undefined, string | null | undefined][] = [
    ["deepgram", "DEEPGRAM_API_KEY", secrets.deepgram_api_key, config.deepgram_base_url],
    ["assemblyai", "ASSEMBLYAI_API_KEY", secrets.assemblyai_api_key, config.assemblyai_base_url],
    ["elevenlabs", "ELEVENLABS_API_KEY", secrets.speech_api_keys.ElevenLabs, bases.ElevenLabs],
    ["cartesia", "CARTESIA_API_KEY", secrets.speech_api_keys.Cartesia, bases.Cartesia],
  ];
  return Promise.all(
    keys.flatMap(([service, setting, api_key, base_url]) =>
      api_key
        ? [askAbout(service, setting, speechKeyCheck(service, { api_key, ...(base_url && { base_url }) }))]
        : [],
    ),
  );
}

export async function checkKeys(config: Config, secrets: Secrets): Promise<Finding[]> {
  const keys = Object.entries(secrets.llm_api_keys) as [LlmProvider, string][];
  if (keys.length === 0) {
    const message = "no provider key is set: the scripted offline model answers";
    return [{ check: "models", status: "ok", message }];
  }
  return Promise.all(keys.map(([provider, key]) => checkKey(config, provider, key)));
}

async function checkKey(config: Config, provider: LlmProvider, key: string): Promise<Finding> {
  const base_url = config.llm_base_urls[provider];
  const question = keyCheck(provider, { api_key: key, ...(base_url && { base_url }) });
  return askAbout(provider, `${provider.toUpperCase()}_API_KEY`, question);
}

async function askAbout(name: string, setting: string, question: KeyQuestion): Promise<Finding> {
  const url = new URL(question.url);
  let status: number;
  try {
    // The operator names this address, so a private one is meant.
    const response = await fetch(url, {
      headers: question.headers,
      signal: AbortSignal.timeout(KEY_CHECK_MS),
    });
    await response.body?.cancel();
    status = response.status;
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    const message = isUntrustedCertificate(cause)
      ? `${url.host} has a certificate that is not trusted (${(cause as NodeJS.ErrnoException).code}). ${OWN_CA}`
      : `${url.host} can't be reached: ${errorText(cause)}. Check the network, or the address that ${setting.replace(/API_KEY$/, "BASE_URL")} names.`;
    return { check: name, status: "problem", message };
  }
  const { verdict, message } = keyVerdict(url.host, status);
  if (verdict === "refused") {
    const why = `the key is refused (${status}). Set ${setting} to a good one.`;
    return { check: name, status: "problem", message: why };
  }
  return { check: name, status: verdict === "good" ? "ok" : "warning", message };
}
