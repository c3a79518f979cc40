// @ts-check
/**
 * One chat with the server. What a visitor writes waits in an outbox, goes out one message at a time and leaves the
 * outbox when all of its answer has come; whatever breaks in between, it is sent again under the same number, which the
 * server answers once. Reading the chat tells whether the server is there; then a socket is tried, then plain HTTP.
 *
 * @typedef {import("./server.js").Server} Server
 * @typedef {import("./server.js").Chat} Chat
 * @typedef {import("./server.js").ChatEvent} ChatEvent
 * @typedef {import("./saved-chat.js").Message} Message
 * @typedef {import("./saved-chat.js").Session} Session
 * @typedef {import("./saved-chat.js").SavedChat} SavedChat
 * @typedef {{
 *   show(chat: Chat, unanswered: Message[]): void,
 *   sending(message: Message): void,
 *   event(event: ChatEvent): void,
 *   answered(id: string): void,
 *   failed(message: Message, why: string): void,
 *   line(state: "up" | "down"): void,
 *   over(why: string, unsent: Message[], reason: string): void,
 * }} Listener what the page does about it; `show` replaces all that is on it. `reason`: who or what ended the session, or
 *   "refused" by the server
 */
import { userOf } from "./identity.js";
import { Outbox } from "./outbox.js";
import { ownSession } from "./saved-chat.js";
import { Refused, Unreachable } from "./server.js";
import { texts } from "./texts.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** A socket may be dead without knowing it. Asking again costs nothing: the answer is the same. */
const SILENCE_MS = 45_000;
/** A socket cut off sooner counts as one that does not get through; after two of them plain HTTP is used. */
const SOUND_SOCKET_MS = 3_000;
const SHORT_SOCKETS = 2;
const LOOK_MS = 1_000;
/** Without a socket the server can't tell the page anything, so the page polls for a colleague's words and the chat's end. */
const READ_AGAIN_MS = 10_000;

export class Connection {
  #server;
  #tools;
  #visit;
  #user;
  #saved;
  #listener;
  #outbox;
  /** @type {WebSocket | null} */
  #socket = null;
  #up = false;
  #over = false;
  #connecting = false;
  #failures = 0;
  #shortSockets = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #silence;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #readAgain;
  /** How many things said are on the page; null before the first. @type {number | null} */
  #shown = null;
  /** How far the page has read the chat, or received a colleague's words. @type {number | undefined} */
  #position;
  /** A program that died in the middle of an answer doesn't repeat what it had said: it may be missing on the page. */
  #mayLackWords = false;
  /** The first of the outbox, while its answer is awaited. @type {Message | null} */
  #inFlight = null;
  /** Without a socket the page asks whether a tool of its own was called. @type {ReturnType<typeof setTimeout> | undefined} */
  #lookForCalls;

  /** @param {Server} server @param {import("./server.js").Visit} visit @param {SavedChat} saved @param {Listener} listener @param {import("./page-tools.js").PageTools} tools */
  constructor(server, visit, saved, listener, tools) {
    this.#tools = tools;
    this.#server = server;
    this.#visit = visit;
    this.#user = visit.identity_token === null ? null : userOf(visit.identity_token);
    this.#saved = saved;
    this.#listener = listener;
    this.#outbox = new Outbox(saved);
  }

  /** Also what to do when the network is back: connects now rather than at the next try. */
  async connect() {
    if (this.#connecting || this.#up || this.#over) return;
    this.#connecting = true;
    clearTimeout(this.#retry);
    try {
      await this.#resume();
      await this.#openLine();
    } catch (error) {
      if (this.#over) return;
      if (error instanceof Unreachable) this.#retryLater(error.wait_ms);
      else this.#finish(error instanceof Refused ? error.message : String(error), "refused");
    } finally {
      this.#connecting = false;
    }
  }

  /** @param {Message} message */
  send(message) {
    this.#outbox.add(message);
    this.#pump();
  }

  /** The network went away, or the socket is not to be trusted. */
  drop() {
    if (!this.#up || this.#over) return;
    this.#closeLine();
    this.#listener.line("down");
    this.connect();
  }

  /** Catches up with what happened elsewhere: another tab, or a chat closed for silence. */
  async check() {
    if (this.#up && !this.#outbox.first) await this.#resume().catch(() => this.drop());
  }

  /** The agent's answer is enough: what it has said so far stays. Without a socket nothing can be told meanwhile. */
  stop() {
    if (this.#inFlight) this.#socket?.send(JSON.stringify({ type: "stop", id: this.#inFlight.id }));
  }

  /** Leaves the session as it is, to be gone on with later. */
  close() {
    this.#stop();
  }

  /** Ends the session and forgets it. */
  leave() {
    const { session } = this.#saved.get();
    // A session ends after the turn that runs.
    this.stop();
    if (session && !this.#over) this.#server.endChat(session).catch(() => {});
    this.#stop();
    this.#saved.set({ session: null, outbox: [] });
  }

  /** Reads the session there is, or opens one. */
  async #resume() {
    const session = ownSession(this.#saved, this.#user);
    const chat = session && (await this.#read(session));
    if (this.#over) return;
    if (chat) return this.#caughtUp(chat);
    const { session_id, token, ...opened } = await this.#server.openChat(this.#visit);
    const fresh = { id: session_id, token, user: this.#user };
    // Left meanwhile: nobody will ever write in this one.
    if (this.#over) return void this.#server.endChat(fresh).catch(() => {});
    this.#saved.set({ ...this.#saved.get(), session: fresh });
    this.#caughtUp(opened);
  }

  /** null when the server no longer knows a session that this page has not shown yet. @param {Session} session */
  async #read(session) {
    try {
      return await this.#server.readChat(session);
    } catch (error) {
      if (error instanceof Refused && error.status === 404 && this.#shown === null) return null;
      throw error;
    }
  }

  /** @param {Chat} chat */
  #caughtUp(chat) {
    const said = chat.messages.length;
    const settled = chat.ended || !this.#outbox.first;
    // Fewer than shown were read before the last were said.
    if (this.#shown === null || (settled && this.#shown <= said)) this.#position = chat.position;
    if (this.#shown === null || (settled && this.#shown < said)) {
      this.#shown = said;
      this.#outbox.caughtUp(chat);
      this.#listener.show(chat, this.#outbox.messages);
    }
    if (!chat.ended) return;
    this.#outbox.dropStored(chat);
    this.#finish(texts.ended, "ended");
  }

  async #openLine() {
    const { session } = this.#saved.get();
    if (this.#over || !session) return;
    const socket =
      this.#shortSockets < SHORT_SOCKETS
        ? await this.#server.openSocket(session, this.#position).catch(() => null)
        : null;
    if (this.#over) return socket?.close();
    this.#up = true;
    if (socket) this.#use(socket);
    else this.#readLater();
    this.#failures = 0;
    if (this.#outbox.first) this.#mayLackWords = true;
    this.#listener.line("up");
    this.#pump();
  }

  #readLater() {
    this.#readAgain = setTimeout(async () => {
      await this.check();
      if (this.#up && !this.#socket) this.#readLater();
    }, READ_AGAIN_MS);
  }

  /** @param {WebSocket} socket */
  #use(socket) {
    const since = performance.now();
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      if (this.#socket === socket) this.#receive(JSON.parse(data));
    };
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      if (performance.now() - since < SOUND_SOCKET_MS) this.#shortSockets += 1;
      this.drop();
    };
  }

  /** @param {number | null} wait_ms */
  #retryLater(wait_ms) {
    this.#listener.line("down");
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures);
    this.#failures += 1;
    // Spread, so that the visitors of a server that comes back don't all knock at once.
    const wait = wait_ms ?? longest * (0.5 + Math.random() / 2);
    this.#retry = setTimeout(() => this.connect(), wait);
  }

  #pump() {
    const message = this.#outbox.first;
    if (!message || !this.#up || this.#inFlight) return;
    this.#inFlight = message;
    this.#outbox.expectAnswer();
    this.#listener.sending(message);
    this.#findCalls(message);
    if (!this.#socket) return void this.#post(message);
    this.#socket.send(JSON.stringify({ id: message.id, text: message.text }));
    this.#expectWords();
  }

  /**
   * A socket tells of calls as they begin: of those before it, and of all without one, the page has to ask. It asks while
   * its own message is being answered, so that of several tabs the one that wrote runs the tool. @param {Message} message
   */
  async #findCalls(message) {
    clearTimeout(this.#lookForCalls);
    const { session } = this.#saved.get();
    if (!session || this.#inFlight !== message) return;
    if (!this.#socket || this.#mayLackWords) {
      const found = await this.#server.readCalls(session).catch(() => ({ calls: [] }));
      if (this.#inFlight === message) for (const call of found.calls) void this.#tools.take(session, call);
    }
    if (!this.#socket) this.#lookForCalls = setTimeout(() => this.#findCalls(message), LOOK_MS);
  }

  /** @param {Message} message */
  async #post(message) {
    const { session } = this.#saved.get();
    if (!session) return;
    try {
      const { events } = await this.#server.sendByHttp(session, message);
      if (this.#inFlight !== message) return;
      for (const event of events) this.#receive(event);
      this.#receive({ type: "answered", id: message.id });
    } catch (error) {
      if (this.#inFlight !== message) return;
      if (error instanceof Refused) return void (await this.#refused(message, error.message));
      this.#closeLine();
      this.#retryLater(error instanceof Unreachable ? error.wait_ms : null);
    }
  }

  #expectWords() {
    clearTimeout(this.#silence);
    if (this.#inFlight && this.#socket) this.#silence = setTimeout(() => this.drop(), SILENCE_MS);
  }

  /** @param {ChatEvent} event */
  #receive(event) {
    this.#expectWords();
    switch (event.type) {
      case "message":
      case "tool_display":
      case "tool_result":
        if (this.#isNew(event)) this.#tell(event);
        break;
      case "client_call": {
        const { session } = this.#saved.get();
        const { type: _, ...call } = event;
        if (session) void this.#tools.take(session, call);
        break;
      }
      case "typing":
      case "aside":
        this.#listener.event(event);
        break;
      case "answered":
        if (event.id === this.#inFlight?.id) this.#settle();
        break;
      case "session_end":
        this.#outbox.settle();
        this.#finish(texts.ended, event.reason);
        break;
      case "error":
        if (this.#inFlight && event.id === this.#inFlight.id) this.#refused(this.#inFlight, event.message);
    }
  }

  /**
   * A colleague's words have a position, because the page may have read them just before they arrive here.
   * @param {import("./server.js").Said} event
   */
  #isNew(event) {
    if (event.type !== "message" || event.position === undefined) return this.#outbox.isNew(event);
    if (this.#position !== undefined && event.position <= this.#position) return false;
    this.#position = event.position;
    return true;
  }

  /** @param {import("./server.js").Said} event */
  #tell(event) {
    this.#shown = (this.#shown ?? 0) + 1;
    this.#listener.event(event);
  }

  /** The message in flight was answered: the next one may go. */
  #settle() {
    const id = this.#inFlight?.id ?? "";
    this.#inFlight = null;
    clearTimeout(this.#silence);
    if (this.#outbox.settle()) this.#shown = (this.#shown ?? 0) + 1;
    this.#listener.answered(id);
    if (this.#mayLackWords && !this.#outbox.first) {
      this.#mayLackWords = false;
      this.check();
    }
    this.#pump();
  }

  /** The server does not take a message: because the chat is over, or for the reason it gives. @param {Message} message @param {string} why */
  async #refused(message, why) {
    const { session } = this.#saved.get();
    const chat = session && (await this.#server.readChat(session).catch(() => null));
    if (this.#inFlight !== message) return;
    if (chat?.ended) return this.#caughtUp(chat);
    this.#inFlight = null;
    this.#outbox.settle();
    this.#listener.failed(message, why);
    this.#pump();
  }

  /** @param {string} why @param {string} reason */
  #finish(why, reason) {
    const unsent = this.#outbox.messages;
    this.#stop();
    this.#outbox.clear();
    this.#listener.over(why, unsent, reason);
  }

  #stop() {
    this.#over = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#lookForCalls);
    this.#closeLine();
  }

  #closeLine() {
    const socket = this.#socket;
    this.#socket = null;
    this.#up = false;
    this.#inFlight = null;
    clearTimeout(this.#silence);
    clearTimeout(this.#readAgain);
    socket?.close();
  }
}
