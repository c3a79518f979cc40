import { useConversation } from "@parley/react";
import { useState } from "react";
import { EntryView } from "./entry-view.tsx";

type Props = { server: string; target: string; identityToken: string | null };

export function Chat({ server, target, identityToken }: Props) {
  const chat = useConversation({ server, target, identityToken, variables: { page: "example" } });
  const [text, setText] = useState("");
  const agent = chat.agentName || "Agent";

  return (
    <section aria-label="Chat">
      <header>
        <h2>{agent}</h2>
        {chat.isScripted && <p className="note">offline demo model</p>}
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
