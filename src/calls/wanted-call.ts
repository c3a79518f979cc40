import type { Snapshot } from "../agents/snapshot.ts";

/** The agent and the parties of a call that is about to start. */
export type WantedCall = {
  sub_organization_id: number;
  /** Null: the number is claimed for an agent that is gone. */
  agent_id: number | null;
  /** Null: an author's call with a draft, which comes by no channel. */
  channel_id: number | null;
  channel_service: string;
  /** Whether the carrier should stream the call's audio to us. */
  is_streamed: boolean;
  channel_target_id: number | null;
  fallback_target: string | null;
  is_test: boolean;
  is_outbound: boolean;
  /** Of an attempt of a campaign. */
  campaign_id?: number;
  /** The person's number, and ours. */
  person: string;
  number: string;
  caller_id: string | null;
  variables: Record<string, string>;
  voicemail_detection: Record<string, unknown> | null;
  /** The state of the agent, and the language to begin in, of an author's call. */
  held_with?: Snapshot;
  language?: string | undefined;
  /** The caller of a page, whose identity is known by other means than a number. */
  visitor?: { verified: boolean; claimed_user: string | null; user_name: string | null };
};
