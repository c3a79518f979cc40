import { beforeAll, expect, test } from "vitest";
import { steps } from "../../../src/workflows/run-steps.examples.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { createNumber, incoming, pickUp } from "../../harness/phone.ts";
import { workflow } from "../../harness/planned-session.ts";
import {
  createSimulatedApp,
  createNumber as createTextNumber,
  eventually,
  textsWith,
} from "../../harness/simulated.ts";

/*
 * A workflow says a word and calls a slow service. The service answers only once the person has got the word: where the
 * word waits for the answer, these tests never end.
 */

let peer: Peer;
beforeAll(async () => {
  peer = await createPeer();
});

/** A workflow whose submission says something and calls `name`, and a model that submits whatever it hears. */
function slowService(name: string) {
  const submit = `submit_${name}`;
  const flow = workflow(
    steps(
      [
        {
          id: "A",
          on: {
            submit: [
              { action: "say", text: "One moment." },
              { action: "call", name },
            ],
          },
          next: ["A"],
        },
      ],
      { tool: { name: submit, description: "" } },
    ),
  );
  return {
    tools: [flow.record, endpointTool(name, `${peer.url}/${name}`)] as never,
    script: `on /appointment/ -> call ${submit} {}\nafter ${name} -> say "It is free."`,
  };
}

test("on the telephone a word is spoken before the call that follows it is answered", async () => {
  const app = await createTestApp();
  const { number } = await createNumber(app, slowService("slow_phone"));
  const phone = await pickUp(app, incoming(number));
  const spoken = async () => phone.outputs.flatMap((output) => (output.type === "say" ? [output.text] : []));
  peer.respond(async (_, response) => {
    await eventually(spoken, (said) => said.length === 1);
    json(response, 200, {});
  });
  phone.says("An appointment, please.");
  expect(await eventually(spoken, (said) => said.length === 2)).toEqual(["One moment.", "It is free."]);
});

test("as a text a word is sent before the call that follows it is answered, and once", async () => {
  const app = await createSimulatedApp({
    scenario: {
      people: [{ number: "+15126670001", person: { name: "quiet", text: { replies_after_s: null } } }],
    },
  });
  const from = "+15126670001";
  const { agent_id } = await createAgent(app, slowService("slow_text"));
  const line = await createTextNumber(app, agent_id);
  const out = async () => (await textsWith(app, from)).filter((text) => text.direction === "out");
  peer.respond(async (_, response) => {
    await eventually(out, (texts) => texts[0]?.status === "DELIVERED");
    json(response, 200, {});
  });
  await app.simulator.text(line.account_sid, { from, to: line.number, body: "An appointment, please." });
  const texts = await eventually(
    out,
    (sent) => sent.filter(({ status }) => status === "DELIVERED").length === 2,
  );
  expect(texts.map(({ text }) => text)).toEqual(["One moment.", "It is free."]);
});
