import { type Person, replyTo } from "./person.ts";
import type { RelayHandlers, RelayLine } from "./relay-line.ts";
import type { World } from "./world.ts";

/** How long it takes to speak a word, in seconds; people say 150 a minute. */
const WORD_S = 0.4;
/** A mailbox stops recording after so long. */
const MAILBOX_S = 60;
const GOODBYE_S = 4;

/** How the talk on the line ended: the agent closed its part, or the person hung up. */
type DialogueEnd = { by: "agent"; handoff_data: string } | { by: "person" } | { by: "failure" };

/**
 * A person on the line of a ConversationRelay: hears what the agent says, thinks, speaks, interrupts, presses keys and
 * hangs up, each at its moment.
 */
export function holdDialogue(
  world: Pick<World, "schedule">,
  who: Person,
  setup: object,
  end: (how: DialogueEnd) => void,
): { handlers: RelayHandlers; take(line: RelayLine): void } {
  const { schedule } = world;
  const { call } = who;
  let line: RelayLine | null = null;
  let over = false;
  let turn = 0;
  let heard = "";
  let interrupted = call.interrupts_after_s === null;
  /** Whoever speaks now; a reaction that was planned before it no longer fits. */
  let generation = 0;
  /** How long the agent's words already waiting take to be played. */
  let toPlay_s = 0;
  let finishAnswer: (() => void) | null = null;

  const send = (message: object) => !over && line?.send(message);
  const finish = (how: DialogueEnd) => {
    if (over) return;
    over = true;
    finishAnswer?.();
    if (how.by !== "failure") line?.close();
    end(how);
  };
  const later = (s: number, run: () => void) =>
    schedule.after(s * 1000, () => {
      if (!over) run();
    });

  /** The agent owes an answer: a test that waits for quiet waits for it. */
  const awaitAnswer = () => {
    finishAnswer?.();
    const { promise, resolve } = Promise.withResolvers<void>();
    // A silent agent must not hold up whoever waits; real time, as it is a real program that answers.
    const timer = setTimeout(resolve, 10_000);
    timer.unref();
    finishAnswer = () => {
      clearTimeout(timer);
      finishAnswer = null;
      resolve();
    };
    schedule.track(promise);
  };

  const speak = (text: string, takes_s: number, then?: () => void) => {
    const mine = ++generation;
    const words = text.split(" ");
    const prompt = (part: string[], last: boolean) =>
      send({ type: "prompt", voicePrompt: part.join(" "), lang: call.language, last });
    if (words.length > 3) {
      later(takes_s / 2, () => mine === generation && prompt(words.slice(0, words.length / 2), false));
    }
    later(takes_s, () => {
      heard = "";
      toPlay_s = 0;
      prompt(words, true);
      then?.();
    });
  };

  const react = () => {
    if (call.presses !== "" && turn === 0) {
      turn++;
      for (const digit of call.presses) send({ type: "dtmf", digit });
      heard = "";
      toPlay_s = 0;
      return awaitAnswer();
    }
    const reply = replyTo(who, heard, turn);
    if (!reply) return;
    turn++;
    speak(reply.say, call.speaks_s, () => {
      awaitAnswer();
      if (reply.then_leaves) later(GOODBYE_S, () => finish({ by: "person" }));
    });
  };

  const interrupt = (words: string[]) => {
    interrupted = true;
    const said = words.slice(0, Math.max(1, Math.round((call.interrupts_after_s ?? 0) / WORD_S)));
    send({
      type: "interrupt",
      utteranceUntilInterrupt: said.join(" "),
      durationUntilInterruptMs: (call.interrupts_after_s ?? 0) * 1000,
    });
    heard = words.join(" ");
    react();
  };

  const listen = (token: string, last: boolean, interruptible: boolean) => {
    heard += token;
    if (!last) return;
    finishAnswer?.();
    const mine = ++generation;
    const words = heard.split(/\s+/).filter(Boolean);
    toPlay_s = words.length * WORD_S;
    send({ type: "info", name: "agentSpeaking", value: "on" });
    const interrupts = !interrupted && interruptible && (call.interrupts_after_s ?? 0) < toPlay_s;
    if (interrupts) return later(call.interrupts_after_s ?? 0, () => mine === generation && interrupt(words));
    later(toPlay_s, () => {
      if (mine !== generation) return;
      send({ type: "info", name: "tokensPlayed", value: words.join(" ") });
      send({ type: "info", name: "agentSpeaking", value: "off" });
      if (call.answered_by !== "machine") later(call.thinks_s, () => mine === generation && react());
    });
  };

  return {
    take(opened) {
      line = opened;
    },
    handlers: {
      opened() {
        send(setup);
        // The agent owes no words yet: it may listen first, to find out who answered.
        if (call.opening) speak(call.opening, call.opening_s);
        if (call.answered_by === "machine") later(call.opening_s + MAILBOX_S, () => finish({ by: "person" }));
        if (call.hangs_up_after_s !== null) later(call.hangs_up_after_s, () => finish({ by: "person" }));
      },
      heard(message) {
        if (over) return;
        if (message.type === "text") {
          listen(String(message.token ?? ""), message.last === true, message.interruptible !== false);
        } else if (message.type === "end") {
          finish({ by: "agent", handoff_data: String(message.handoffData ?? "") });
        }
      },
      closed: () => finish({ by: "failure" }),
    },
  };
}
