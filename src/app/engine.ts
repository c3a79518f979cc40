import { providerSettings } from "../accounts/llm-provider.ts";
import { createModelAllowance } from "../accounts/model-allowance.ts";
import type { OwnLimitsReader } from "../accounts/own-limits.ts";
import { createStorage } from "../accounts/storage.ts";
import { createVisitorAllowance } from "../accounts/visitor-allowance.ts";
import { createFairGate } from "../base/fair-gate.ts";
import { randomId } from "../base/ids.ts";
import { queueConversations } from "../board/conversations.ts";
import { callBackDesk } from "../call-backs/call-back-desk.ts";
import { openSealedTexts } from "../data-keys/data-keys.ts";
import { queueEndedSession } from "../executions/trigger.ts";
import { embedderOf } from "../knowledge/source-embedding.ts";
import type { Provider } from "../llm/catalogue.ts";
import { guardedStream } from "../llm/guarded-fetch.ts";
import { modelFor } from "../llm/model-for.ts";
import type { Transport } from "../llm/providers.ts";
import type { Engine } from "../sessions/engine.ts";
import { queueIndexing } from "../sessions/index-session-job.ts";
import { sessionLeases } from "../sessions/lease.ts";
import { createClientCalls } from "../sessions/live/client-calls.ts";
import { createLiveWords } from "../sessions/live/live-words.ts";
import { createSessionEnds } from "../sessions/session-ends.ts";
import { createMcpClient } from "../tools/mcp/mcp-client.ts";
import { createMcpListings } from "../tools/mcp/mcp-listing.ts";
import { createServiceAuthenticator } from "../tools/service-auth.ts";
import { sendSessionEnded } from "../webhooks/event-delivery.ts";
import type { AppParts } from "./parts.ts";

/** What conversations run on: models by their providers and allowances, secrets, the way out. */
export function createEngine(parts: AppParts, ownLimits: OwnLimitsReader): Engine {
  const { db, clock, log, vault, egress, llmProviders: environment } = parts;
  openSealedTexts({ db, vault });
  const guarded = guardedStream(parts.config.egress_allow);
  const { llm_first_token_s, llm_token_s, llm_fallback } = parts.config;
  const policy = {
    first_token_ms: llm_first_token_s * 1000,
    between_tokens_ms: llm_token_s * 1000,
    fallback: llm_fallback,
  };
  const allowance = createModelAllowance({
    db,
    clock,
    log,
    limits: parts.config.model_limits,
    own: ownLimits,
  });
  const auth = createServiceAuthenticator({ db, vault, egress, clock });
  const client = createMcpClient({ egress, auth });
  return {
    db,
    clock,
    log,
    egress,
    vault,
    ends: createSessionEnds(parts),
    words: createLiveWords(parts),
    clientCalls: createClientCalls(parts),
    auth,
    mcp: { client, listings: createMcpListings({ db, clock, client }) },
    destinations: parts.config.destinations,
    visitors: createVisitorAllowance({
      db,
      clock,
      per_minute: parts.config.visitors_per_minute,
      own: ownLimits,
    }),
    ownLimits,
    storage: createStorage(parts.config.storage_gb, ownLimits),
    chatTurns: createFairGate(parts.config.chat_concurrency),
    resolveModel: async (sub_organization_id, llm) => {
      const settings = await providerSettings({ db, vault, environment }, sub_organization_id);
      const transportOf = (provider: Provider): Transport => {
        const access = settings[provider];
        // The installation's own address may be private; one that an organization names goes through the guard.
        const isGuarded = access?.base_url !== undefined && access !== environment[provider];
        return isGuarded ? { fetch: guarded } : {};
      };
      return allowance.guard(modelFor(llm, settings, clock, { policy, transportOf }), sub_organization_id);
    },
    allowance,
    embedderOf: embedderOf({
      db,
      clock,
      vault,
      egress,
      environment,
      allowance,
      choice: parts.config.embedding_model,
    }),
    callBacks: callBackDesk(db),
    owner: randomId(),
    held: sessionLeases(parts),
    onStored: parts.telemetry?.turnStored,
    async onEnd(tx, session) {
      await queueEndedSession(tx, session, clock.now());
      await queueIndexing(tx, session);
      await sendSessionEnded(tx, session);
      await queueConversations(tx, [session.id]);
      parts.telemetry?.sessionEnded(session);
    },
  };
}
