import { randomId } from "../base/ids.ts";
import type { Config, Secrets } from "../config.ts";
import { PEOPLE, peopleOf } from "../simulator/people.ts";
import { type Person, replyTo } from "../simulator/person.ts";
import { type Call, client, tokenOfThisMachine } from "./api-client.ts";
import { findAgent, type Turn } from "./chat.ts";
import { printSimulated, type Simulated } from "./simulated-talk.ts";

/** One who gets what they came for, one who wants no more, a wrong number, and one who speaks Spanish. */
const CHARACTERS = ["01", "09", "10", "18"];
/** An agent that always has more to say is left after so many turns. */
const MOST_TURNS = 20;

type Wanted = { agent: string; json: boolean; seed: number };

/**
 * Has simulated people talk with an agent of the Parley that runs on this machine, in test sessions: the agent, its tools
 * and its workflows are the real ones, and so is what its tools do. Resolves with the exit code.
 */
export async function simulateAgent(
  { agent: name, json, seed }: Wanted,
  config: Config,
  secrets: Secrets,
  token: string | undefined,
): Promise<number> {
  const call = client(config.public_url, token ? () => token : await tokenOfThisMachine(config, secrets));
  const agent = await findAgent(call, name);
  if (!json)
    process.stdout.write(
      `Simulated people talk with ${agent.name} in test sessions. Its tools do what they do for anybody.\n`,
    );
  const drawn = peopleOf({ seed, people: [] })(`+1512555${seed}99`);
  const people = [...CHARACTERS.map((ending) => PEOPLE[ending] as Person), drawn];
  for (const who of new Set(people)) {
    if (who.call.outcome !== "answers" || who.call.answered_by !== "human") continue;
    const talk = await talkWith(call, agent.id, who);
    printSimulated({ kind: "test", from: who.name, to: agent.name, lines: talk }, json);
  }
  return 0;
}

/** To its end: one of both leaves, or has nothing more to say. */
async function talkWith(call: Call, agent_id: number, who: Person): Promise<Simulated["lines"]> {
  const test_id = `simulated-${randomId()}`;
  const lines: Simulated["lines"] = [];
  const say = async (text: string, session_start: boolean): Promise<Turn> => {
    const turn = await call<Turn>("POST", "/api/v1/agents/test/messages", {
      service_name: "simulate",
      source: `simulated person: ${who.name}`,
      test_id,
      agent_id: String(agent_id),
      text,
      session_start,
    });
    if (text !== "") lines.push({ role: "user", text });
    if (turn.response_text !== "") lines.push({ role: "agent", text: turn.response_text });
    return turn;
  };
  let heard = await say("", true);
  for (let turn = 0; turn < MOST_TURNS && !heard.response.content.ended; turn++) {
    const reply = replyTo(who, heard.response_text, turn);
    if (reply === null) break;
    heard = await say(reply.say, false);
    if (reply.then_leaves) break;
  }
  return lines;
}
