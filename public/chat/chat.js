// @ts-check
/** The chat page of `/chat/<target>`: puts the connection, the log and the composer together. */
import { applyAccent } from "./accent.js";
import { callButton } from "./call.js";
import { composer } from "./composer.js";
import { Connection } from "./connection.js";
import { frame } from "./frame.js";
import { takeIdentity, userOf } from "./identity.js";
import { Log } from "./log.js";
import { PageTools } from "./page-tools.js";
import { browserMemory, draftMemory, messageId, savedChat } from "./saved-chat.js";
import { chatServer } from "./server.js";
import { texts } from "./texts.js";

/** A line that is back sooner was not worth a word. */
const NOTICE_AFTER_MS = 800;

const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const page = new URL(location.href);
const target = decodeURIComponent(page.pathname.replace(/\/+$/, "").split("/").at(-1) ?? "");
const newButton = /** @type {HTMLButtonElement} */ (part("new"));
const ask = /** @type {HTMLDialogElement} */ (part("ask"));
/** On a phone the keyboard would cover the greeting: there the first tap is the visitor's. */
const hasKeyboard = matchMedia("(pointer: fine)").matches;
const server = chatServer(location.origin);
const visit = { target, identity_token: takeIdentity() };
/** Sites that have such tools show the conversation in a page of their own. */
const tools = new PageTools(server, ({ tool_name }) => {
  throw new Error(`This page can't run ${tool_name}.`);
});
const site = frame({ shown: () => hasKeyboard && part("text").focus() });
let agent = part("agent").textContent ?? "";
let unread = 0;
/** @type {"up" | "down"} */
let line = "up";
/** @type {ReturnType<typeof setTimeout> | undefined} */
let notice;

applyAccent(page.searchParams.get("accent"));
part("avatar").textContent = initials(agent);
document.body.classList.toggle("embedded", page.searchParams.has("embed"));
part("close").hidden = !site.inside;
// Before anything is waited for: a chat can be closed from the moment its button is seen.
part("close").addEventListener("click", site.close);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !ask.open && !event.defaultPrevented) site.close();
});
site.ready();

const saved = savedChat(browserMemory(`parley.chat.${target}`) ?? (await site.memory()));
const log = new Log({ say, press: site.press });
const user = visit.identity_token === null ? null : userOf(visit.identity_token);
const write = composer(say, draftMemory(`parley.draft.${target}`, user));
let connection = openConnection();
let isOver = false;
callButton({
  ask: () => server.openCall(visit),
  agent: () => agent,
  shown(calling) {
    write.show(!calling && !isOver);
    part("over").hidden = calling || !isOver;
  },
});

/** @param {string} text */
function say(text) {
  put({ id: messageId(), text });
}

/** @param {import("./saved-chat.js").Message} message */
function put(message) {
  log.addWaiting(message);
  connection.send(message);
}

function openConnection() {
  log.work("");
  const opened = new Connection(
    server,
    visit,
    saved,
    {
      show(chat, unanswered) {
        introduce(chat);
        log.show(agent, chat.messages, unanswered);
        newButton.disabled = false;
      },
      sending(message) {
        log.moveUp(message);
        log.work("");
      },
      event(event) {
        if (event.type === "typing") log.work(event.text);
        // Said to fill the wait: no part of the conversation that a page goes on with, so it is not counted.
        else if (event.type === "aside")
          log.add({ type: "message", role: "agent", text: event.text, timestamp: "" });
        else if (event.type === "tool_result") log.add(event);
        else if (event.type === "message" || event.type === "tool_display") {
          log.add(event);
          count();
        }
      },
      answered: () => log.rest(),
      failed: (message, why) => log.fail(message, why, () => put(message)),
      line(state) {
        if (state === "down") log.rest();
        announceLine(state);
      },
      over(why, unsent) {
        announceLine("up");
        log.remove(unsent);
        log.close();
        write.giveBack(unsent.map(({ text }) => text).join("\n"));
        showOver(why);
      },
    },
    tools,
  );
  opened.connect();
  return opened;
}

/** @param {import("./server.js").Chat} chat */
function introduce(chat) {
  agent = chat.agent_name;
  part("agent").textContent = agent;
  part("avatar").textContent = initials(agent);
  part("scripted").hidden = !chat.scripted;
  title();
}

function startAnew() {
  connection.leave();
  isOver = false;
  part("over").hidden = true;
  write.show(true);
  write.focus();
  newButton.disabled = true;
  log.show(agent, [], []);
  connection = openConnection();
}

/** @param {string} why */
function showOver(why) {
  const writing = part("composer").contains(document.activeElement);
  isOver = true;
  part("over-text").textContent = why;
  part("over").hidden = !part("on-call").hidden;
  write.show(false);
  newButton.disabled = true;
  // The field that had the focus is gone; what can be done now gets it.
  if (writing) part("again").focus();
}

/** @param {"up" | "down"} state */
function announceLine(state) {
  if (state === line) return;
  line = state;
  clearTimeout(notice);
  if (state === "up") part("notice").textContent = "";
  else notice = setTimeout(() => part("notice").append(texts.connection_lost), NOTICE_AFTER_MS);
}

/** Something new was said: told in the title of a tab in the background, and to the site around a frame. */
function count() {
  site.said();
  if (document.hidden) unread += 1;
  title();
}

function title() {
  document.title = unread > 0 ? `(${unread}) ${agent}` : agent;
}

/** @param {string} name */
function initials(name) {
  const words = name.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join("");
}

window.addEventListener("online", () => connection.connect());
window.addEventListener("offline", () => connection.drop());
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  unread = 0;
  title();
  connection.connect();
  connection.check();
});
newButton.addEventListener("click", () => (log.hasUserWords ? ask.showModal() : startAnew()));
ask.addEventListener("close", () => {
  if (ask.returnValue === "new") startAnew();
  ask.returnValue = "";
});
part("again").addEventListener("click", startAnew);

// In a frame the site keeps the focus until the chat is opened.
if (!site.inside && hasKeyboard) write.focus();
