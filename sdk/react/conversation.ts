import { Connection } from "../../public/chat/connection.js";
import { userOf } from "../../public/chat/identity.js";
import { type ClientCall, PageTools } from "../../public/chat/page-tools.js";
import {
  browserMemory,
  type Message,
  messageId,
  ownSession,
  savedChat,
} from "../../public/chat/saved-chat.js";
import { chatServer, type Visit } from "../../public/chat/server.js";
import { type ConversationOptions, type ConversationState, NOTHING_YET } from "./conversation-state.ts";
import {
  type CardAction,
  shownChat,
  waitingEntry,
  withCall,
  withEvent,
  without,
  withoutStream,
  withState,
} from "./entries.ts";
import { VoiceCall } from "./voice-call.ts";

/** The longest message that the server takes. */
const MOST_CHARACTERS = 4000;

/**
 * A conversation of a page, without React: its state, which is replaced at each change, and what can be done in it.
 * Connects when `open` is called or something is sent.
 */
export class Conversation {
  #state: ConversationState;
  #options;
  #base;
  #server;
  #saved;
  #tools;
  readonly voice: VoiceCall;
  #connection: Connection | null = null;
  #opening: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#base = new URL(options.server).origin;
    this.#server = chatServer(this.#base);
    const { memory = browserMemory(`parley.chat.${this.#base}.${options.target}`) } = options;
    this.#saved = savedChat(memory);
    this.voice = new VoiceCall(
      this.#server,
      this.#base,
      () => this.#visit(),
      () => this.#change({ voice: this.voice.state }),
    );
    this.#state = { ...NOTHING_YET, voice: this.voice.state };
    this.#tools = new PageTools(
      this.#server,
      (call, signal) => this.#run(call, signal),
      (call, state) => this.#change({ messages: withCall(this.#state.messages, call, state) }),
    );
  }

  #run({ tool_name, arguments: given }: ClientCall, signal: AbortSignal): unknown {
    const { tools = {}, onToolCall } = this.#options;
    const values = given as Record<string, unknown>;
    if (Object.hasOwn(tools, tool_name)) return tools[tool_name]?.(values, signal);
    if (onToolCall) return onToolCall(tool_name, values, signal);
    throw new Error(`This page can't run ${tool_name}.`);
  }

  /** What may change while the conversation goes on. */
  use(options: ConversationOptions): void {
    this.#options = options;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): ConversationState => this.#state;

  /** Goes on with the conversation that the browser remembers, or begins one. Opened twice at once, it is one. */
  open(): void {
    if (this.#connection || this.#state.status === "ended") return;
    if (this.#state.status === "idle") this.#change({ status: "connecting" });
    // React's strict mode opens and closes everything once before it opens it for good.
    clearTimeout(this.#opening);
    this.#opening = setTimeout(() => this.#connect());
  }

  /** The page goes; the conversation stays, to be gone on with. */
  close(): void {
    clearTimeout(this.#opening);
    this.#connection?.close();
    this.#connection = null;
    window.removeEventListener("online", this.#online);
    window.removeEventListener("offline", this.#offline);
    document.removeEventListener("visibilitychange", this.#seen);
  }

  readonly send = (text: string): void => {
    const words = text.trim();
    if (words === "") return;
    if (words.length > MOST_CHARACTERS) {
      this.#change({ error: `A message has ${MOST_CHARACTERS} characters at the most.` });
      return;
    }
    if (this.#state.status === "ended") {
      const { ended } = this.#state;
      const over = "This conversation has ended. Start a new one to write on.";
      this.#change({ error: ended?.reason === "refused" ? ended.text : over });
      return;
    }
    this.#put({ id: messageId(), text: words });
  };

  /** Sends a message again that has failed. */
  readonly sendAgain = (key: string): void => {
    const failed = this.#state.messages.find((entry) => entry.key === key);
    if (failed?.type !== "message" || failed.role !== "user" || failed.state !== "failed") return;
    this.#change({ messages: without(this.#state.messages, [key]) });
    this.#put({ id: key, text: failed.text });
  };

  /** What pressing a card's action does: its text is sent. Links open by themselves. */
  readonly answer = (action: CardAction): void => {
    if (action.type !== "say") return;
    if (action.action_id) this.#options.onPress?.(action.action_id, action.label);
    this.send(action.text);
  };

  /** The agent's answer is enough; what it has said so far stays. */
  readonly stop = (): void => this.#connection?.stop();

  readonly end = (): void => {
    if (this.#state.status === "ended") return;
    this.#leave();
    this.#change({
      status: "ended",
      ended: { reason: "user", text: "You have ended this conversation.", unsent: [] },
      messages: withoutStream(this.#state.messages),
      isAnswering: false,
    });
  };

  readonly startAnew = (): void => {
    this.#leave();
    this.#state = { ...NOTHING_YET, voice: this.voice.state };
    this.open();
  };

  #leave(): void {
    clearTimeout(this.#opening);
    if (this.#connection) this.#connection.leave();
    else this.#saved.set({ session: null, outbox: [] });
    this.close();
  }

  #put(message: Message): void {
    this.open();
    this.#change({ messages: [...this.#state.messages, waitingEntry(message)], error: null });
    if (this.#connection) this.#connection.send(message);
    else {
      // Another visitor's session goes with its outbox, so it goes before this is in it.
      const { identityToken = null } = this.#options;
      ownSession(this.#saved, identityToken && userOf(identityToken));
      const saved = this.#saved.get();
      this.#saved.set({ ...saved, outbox: [...saved.outbox, message] });
    }
  }

  #visit(): Visit {
    const { target, identityToken = null, variables } = this.#options;
    return { target, identity_token: identityToken, ...(variables && { variables }) };
  }

  #connect(): void {
    const connection = new Connection(
      this.#server,
      this.#visit(),
      this.#saved,
      {
        show: (chat, unanswered) =>
          this.#change({
            agentName: chat.agent_name,
            isScripted: chat.scripted,
            messages: shownChat(chat.messages, unanswered, this.#base),
          }),
        sending: ({ id }) =>
          this.#change({ messages: withState(this.#state.messages, id, "sending"), isAnswering: true }),
        event: (event) => this.#change({ messages: withEvent(this.#state.messages, event, this.#base) }),
        answered: (id) =>
          this.#change({
            messages: withState(withoutStream(this.#state.messages), id, "sent"),
            isAnswering: false,
            error: null,
          }),
        failed: ({ id }, why) =>
          this.#change({
            messages: withState(withoutStream(this.#state.messages), id, "failed", why),
            isAnswering: false,
            error: why,
          }),
        line: (line) =>
          line === "up"
            ? this.#change({ status: "connected" })
            : this.#change({
                status: "reconnecting",
                messages: withoutStream(this.#state.messages),
                isAnswering: false,
              }),
        over: (text, unsent, reason) => {
          const keys = unsent.map(({ id }) => id);
          this.close();
          this.#change({
            status: "ended",
            ended: { reason, text, unsent: unsent.map((message) => message.text) },
            messages: without(withoutStream(this.#state.messages), keys),
            isAnswering: false,
            ...(reason === "refused" && { error: text }),
          });
        },
      },
      this.#tools,
    );
    this.#connection = connection;
    window.addEventListener("online", this.#online);
    window.addEventListener("offline", this.#offline);
    document.addEventListener("visibilitychange", this.#seen);
    void connection.connect();
  }

  readonly #online = () => void this.#connection?.connect();
  readonly #offline = () => this.#connection?.drop();
  readonly #seen = () => {
    if (document.hidden) return;
    void this.#connection?.connect();
    void this.#connection?.check();
  };

  #change(change: Partial<ConversationState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
