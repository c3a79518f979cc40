import { findDataKey } from "../data-keys/data-keys.ts";
import { keptSince } from "../erasure/agent-retention.ts";
import { freezeJudges } from "../judges/judge-store.ts";
import { createDocumentReader } from "../knowledge/documents/document-reader.ts";
import { catalogueOf, operatorLlm } from "../llm/catalogue.ts";
import { NO_ENGINES } from "../media/voice-engines.ts";
import { systemLookUp } from "../mime/sender-checks.ts";
import { createBucket } from "../sessions/bucket/bucket.ts";
import type { Engine } from "../sessions/engine.ts";
import { createRecordingStore } from "../sessions/recordings/recording-store.ts";
import { transcriptionAccessOf } from "../transcription/transcription-provider.ts";
import type { OutreachParts } from "./outreach.ts";
import type { AppParts } from "./parts.ts";
import { usedBy } from "./used-by.ts";

/** What rooms share: the parts the program was started with, and what is made of them once. */
export function groundOf(parts: AppParts, engine: Engine, outreach: OutreachParts) {
  const { db, vault, config } = parts;
  const engines = parts.voiceEngines ?? null;
  const transcriptionKeys = { transcription: parts.transcriptionProviders ?? {}, llm: parts.llmProviders };
  return {
    ...parts,
    publicUrl: config.public_url,
    dataDir: config.data_dir,
    destinations: config.destinations,
    catalogue: catalogueOf(config.llm_models.map(operatorLlm)),
    storage: engine.storage,
    carriers: outreach.carriers,
    recordings: createRecordingStore(config.data_dir, findDataKey({ db, vault })),
    documents: createDocumentReader(),
    bucket: parts.recordingsBucket
      ? createBucket(parts.recordingsBucket, { clock: parts.clock, allow: config.egress_allow })
      : null,
    lookUp: parts.mailLookUp ?? systemLookUp(),
    engines,
    voice_missing: engines ? engines.missing : NO_ENGINES,
    freezeJudges,
    keptSince,
    ...usedBy(parts),
    transcriptionKeys,
    transcriptionAccess: transcriptionAccessOf({ db, vault, environment: transcriptionKeys }),
  };
}

/** {@link groundOf} */
export type Ground = ReturnType<typeof groundOf>;

/** Runs insights: the engine, with what it needs to read recordings. */
export const runnerOf = (engine: Engine, ground: Ground) => ({
  ...engine,
  catalogue: ground.catalogue,
  recordings: ground.recordings,
  transcriptionAccess: ground.transcriptionAccess,
});
