import type { Card, CardAction, Entry } from "@parley/react";

type Props = {
  entry: Entry;
  agent: string;
  onAnswer(action: CardAction): void;
  onSendAgain(key: string): void;
};

export function EntryView({ entry, agent, onAnswer, onSendAgain }: Props) {
  if (entry.type === "cards")
    return (
      <ul className="cards">
        {entry.cards.map((card, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the cards of an entry never change
          <CardView key={at} card={card} onAnswer={onAnswer} />
        ))}
      </ul>
    );
  if (entry.type === "client_call")
    return (
      <p className="note">
        {entry.tool_name}: {entry.state === "failed" ? entry.error : entry.state}
      </p>
    );
  if (entry.type === "tool")
    return (
      <details>
        <summary>
          {entry.tool_name} {entry.error ?? `${entry.duration_ms} ms`}
        </summary>
        <pre>{JSON.stringify(entry.result, null, 2)}</pre>
      </details>
    );
  return (
    <div className={entry.role}>
      <b>{entry.role === "user" ? "You" : agent}: </b>
      {entry.text}
      {entry.role === "user" && entry.state === "waiting" && <i> waiting to be sent</i>}
      {entry.role === "user" && entry.state === "failed" && (
        <>
          <i> not sent: {entry.problem} </i>
          <button type="button" onClick={() => onSendAgain(entry.key)}>
            Send again
          </button>
        </>
      )}
    </div>
  );
}

function CardView({ card, onAnswer }: { card: Card; onAnswer(action: CardAction): void }) {
  const actions = card.main ? [...card.actions, card.main] : card.actions;
  return (
    <li>
      {card.picture && <img src={card.picture.address} alt="" />}
      {card.header && <h3>{card.header}</h3>}
      {card.subheader && <p>{card.subheader}</p>}
      {card.description && <p>{card.description}</p>}
      {actions.map((action) => (
        <ActionView key={`${action.type} ${action.label}`} action={action} onAnswer={onAnswer} />
      ))}
    </li>
  );
}

function ActionView({ action, onAnswer }: { action: CardAction; onAnswer(action: CardAction): void }) {
  if (action.type === "link") return <a href={action.address}>{action.label}</a>;
  if (action.type === "fact") return <p>{action.label}</p>;
  return (
    <button type="button" onClick={() => onAnswer(action)}>
      {action.label}
    </button>
  );
}
