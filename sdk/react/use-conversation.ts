import { useEffect, useMemo, useSyncExternalStore } from "react";
import { userOf } from "../../public/chat/identity.js";
import { Conversation } from "./conversation.ts";
import type { ConversationOptions, ConversationState } from "./conversation-state.ts";
import type { VoiceCall } from "./voice-call.ts";

export type {
  ClientTool,
  ConversationEnd,
  ConversationOptions,
  ConversationState,
  ConversationStatus,
} from "./conversation-state.ts";
export type { Card, CardAction, Entry, Picture } from "./entries.ts";
export type { Caption, VoiceState } from "./voice-call.ts";

export type ConversationHook = ConversationState &
  Pick<Conversation, "send" | "sendAgain" | "answer" | "stop" | "end" | "startAnew"> & {
    /** Connects, where `isLazy` has waited for it. */
    open(): void;
  } & Pick<VoiceCall, "call" | "hangUp" | "mute" | "press">;

/**
 * A conversation with an agent, for one part of a page: what was said, and what can be done. It outlives a reload, and a
 * part of the page that goes and comes back. `isLazy`: it begins when `open` is called or the visitor writes, instead of
 * with the page.
 */
export function useConversation(options: ConversationOptions & { isLazy?: boolean }): ConversationHook {
  const { server, target, identityToken = null, isLazy = false } = options;
  const user = identityToken === null ? null : userOf(identityToken);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another person, or another agent, is another conversation; all else may change in one
  const conversation = useMemo(() => new Conversation(options), [server, target, user]);
  useEffect(() => conversation.use(options));
  useEffect(() => {
    if (!isLazy) conversation.open();
    return () => {
      conversation.close();
      conversation.voice.hangUp();
    };
  }, [conversation, isLazy]);
  const state = useSyncExternalStore(conversation.subscribe, conversation.state, conversation.state);
  const { send, sendAgain, answer, stop, end, startAnew, voice } = conversation;
  const { call, hangUp, mute, press } = voice;
  return useMemo(
    () => ({
      ...state,
      send,
      sendAgain,
      answer,
      stop,
      end,
      startAnew,
      open: () => conversation.open(),
      call,
      hangUp,
      mute,
      press,
    }),
    [state, conversation, send, sendAgain, answer, stop, end, startAnew, call, hangUp, mute, press],
  );
}
