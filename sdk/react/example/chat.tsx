import { useConversation } from "@parley/react";
import { useState } from "react";
import { EntryView } from "./entry-view.tsx";

type Props = { server: string; target: string; identityToken: string | null };

/** Tools of the agent that run in this page. */
const TOOLS = {
  show_section({ section }: { section: string }) {
    const heading = document.getElementById(section);
    if (!heading) throw new Error(`This page has no section ${section}.`);
    heading.scrollIntoView();
    heading.classList.add("shown");
    return { shown: heading.textContent };
  },
  /** Leaves the page, so the one that comes next tells the agent that nobody knows what came of it. */
  start_over() {
    location.reload();
    return new Promise(() => {});
  },
};

export function Chat({ server, target, identityToken }: Props) {
  const chat = useConversation({
    server,
    target,
    identityToken,
    variables: { page: "example" },
    tools: TOOLS,
  });
  const { voice } = chat;
  const [text, setText] = useState("");
  const agent = chat.agentName || "Agent";

  return (
    <section aria-label="Chat">
      <header>
        <h2>{agent}</h2>
        {chat.isScripted && <p className="note">offline demo model</p>}
        {voice.status === "idle" ? (
          <button type="button" onClick={chat.call}>
            Call
          </button>
        ) : (
          <>
            <button type="button" aria-pressed={voice.isMuted} onClick={() => chat.mute(!voice.isMuted)}>
              Mute
            </button>
            <button type="button" onClick={chat.hangUp}>
              Hang up
            </button>
          </>
        )}
        <button type="button" onClick={chat.end} disabled={chat.status === "ended"}>
          End
        </button>
      </header>
      <div role="log" aria-label="Conversation">
        {chat.messages.map((entry) => (
          <EntryView
            key={entry.key}
            entry={entry}
            agent={agent}
            onAnswer={chat.answer}
            onSendAgain={chat.sendAgain}
          />
        ))}
      </div>
      <p role="status" className="note">
        {chat.status === "connecting" && "Connecting…"}
        {chat.status === "reconnecting" && "Connection lost. Trying again…"}
        {chat.status === "connected" && chat.isAnswering && `${agent} is writing…`}
      </p>
      {chat.error && <p role="alert">{chat.error}</p>}
      <p role="status" className="note">
        {voice.status === "asking" && "Allow the microphone…"}
        {voice.status === "connecting" && "Calling…"}
        {voice.status === "connected" && (voice.isSpeaking ? `${agent} speaks.` : "Speak now.")}
        {voice.notice ?? voice.error}
      </p>
      <ul aria-label="Captions">
        {voice.captions.map(({ key, role, text }) => (
          <li key={key}>
            {role === "user" ? "You" : agent}: {text}
          </li>
        ))}
      </ul>
      {chat.ended ? (
        <p>
          {chat.ended.text}{" "}
          <button type="button" onClick={chat.startAnew}>
            Start a new chat
          </button>
        </p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            chat.send(text);
            setText("");
          }}
        >
          <label>
            Your message <input value={text} onChange={(event) => setText(event.target.value)} />
          </label>
          <button type="submit">Send</button>
          {chat.isAnswering && (
            <button type="button" onClick={chat.stop}>
              Stop
            </button>
          )}
        </form>
      )}
    </section>
  );
}
