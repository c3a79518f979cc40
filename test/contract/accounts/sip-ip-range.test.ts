import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { rounds } from "../../harness/seed.ts";

const PATH = "/api/v1/organizations/sip_ip_ranges/";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

let counter = 0;
const create = async (more: object = {}) =>
  (await app.send("POST", PATH, { type: "signaling", ip_range: `10.0.${++counter}.0/24`, ...more })).body;

describe("SIP IP ranges", () => {
  test("a range is created with 201, unverified, and is in the list", async () => {
    const { status, body } = await app.send("POST", PATH, { type: "media", ip_range: "192.0.2.0/24" });
    expect(status).toBe(201);
    expect(body).toEqual({
      type: "media",
      ip_range: "192.0.2.0/24",
      id: expect.any(Number),
      organization_id: app.admin.organization_id,
      verified: false,
      created_at: "2026-11-18T12:00:00+00:00",
      updated_at: "2026-11-18T12:00:00+00:00",
      deleted_at: null,
    });
    expect((await app.send("GET", PATH)).body).toContainEqual(body);
  });

  test.each([
    ["192.0.2.7", "192.0.2.7/32"],
    ["2001:DB8::/32", "2001:db8::/32"],
    ["2001:db8:0:0:0:0:0:1", "2001:db8::1/128"],
  ])("%s is kept in its one spelling %s", async (ip_range, spelled) => {
    expect((await create({ ip_range })).ip_range).toBe(spelled);
  });

  test("an update changes what it names; another network has to be verified anew", async () => {
    const made = await create();
    const verify = (verified: boolean) => app.send("PUT", `${PATH}${made.id}/verified`, { verified });
    expect((await verify(true)).body).toEqual({ ...made, verified: true });
    app.clock.advance(1000);
    const same = await app.send("PUT", `${PATH}${made.id}`, { ip_range: made.ip_range, type: null });
    expect(same.body).toMatchObject({ verified: true, updated_at: "2026-11-18T12:00:01+00:00" });
    const other = await app.send("PUT", `${PATH}${made.id}`, { type: "media" });
    expect(other.body).toMatchObject({ type: "media", ip_range: made.ip_range, verified: false });
  });

  test("only who operates the installation verifies, for any organization", async () => {
    const neighbour = await app.createNeighbour();
    const { body } = await neighbour.send("POST", PATH, { type: "media", ip_range: "198.51.100.0/24" });
    const url = `${PATH}${body.id}/verified`;
    expect(await neighbour.send("PUT", url, { verified: true })).toMatchObject({
      status: 403,
      body: { detail: "Missing permission: platform_admin" },
    });
    expect((await app.send("PUT", url, { verified: true })).body.verified).toBe(true);
  });

  test("a delete answers 204 without a body; the range can be added again", async () => {
    const made = await create();
    expect(await app.send("DELETE", `${PATH}${made.id}`)).toMatchObject({ status: 204, body: "" });
    expect((await app.send("GET", PATH)).body.map((range: { id: number }) => range.id)).not.toContain(
      made.id,
    );
    expect((await app.send("DELETE", `${PATH}${made.id}`)).status).toBe(404);
    expect((await app.send("POST", PATH, { type: made.type, ip_range: made.ip_range })).status).toBe(201);
  });

  test("the same range of the same type is refused, of the other type it is not", async () => {
    const { ip_range } = await create();
    expect(await app.send("POST", PATH, { type: "signaling", ip_range })).toMatchObject({
      status: 400,
      body: { detail: `There is such a range already: ${ip_range}.` },
    });
    expect((await app.send("POST", PATH, { type: "media", ip_range })).status).toBe(201);
  });

  test("a neighbour's range answers 404 like one that never was", async () => {
    const { id } = await create();
    const neighbour = await app.createNeighbour();
    expect((await neighbour.send("GET", PATH)).body).toEqual([]);
    const missing = { status: 404, body: { detail: `SIP IP range with ID ${id} not found` } };
    expect(await neighbour.send("PUT", `${PATH}${id}`, { type: "media" })).toMatchObject(missing);
    expect(await neighbour.send("DELETE", `${PATH}${id}`)).toMatchObject(missing);
  });

  test.each([
    [{ ip_range: "10.0.0.0/8" }, ["body", "type"], "missing"],
    [{ type: "video", ip_range: "10.0.0.0/8" }, ["body", "type"], "enum"],
    [{ type: "media" }, ["body", "ip_range"], "missing"],
    [{ type: "media", ip_range: "10.0.0.1/8" }, ["body", "ip_range"], "ip_any_network"],
    [{ type: "media", ip_range: "10.0.0/8" }, ["body", "ip_range"], "ip_any_network"],
    [{ type: "media", ip_range: "10.0.0.0/33" }, ["body", "ip_range"], "ip_any_network"],
    [{ type: "media", ip_range: "10.0.0.0/8/8" }, ["body", "ip_range"], "ip_any_network"],
    [{ type: "media", ip_range: "0x0a.0.0.0/8" }, ["body", "ip_range"], "ip_any_network"],
    [{ type: "media", ip_range: "fe80::1%eth0" }, ["body", "ip_range"], "ip_any_network"],
    [{ type: "media", ip_range: "2001:db8::1/32" }, ["body", "ip_range"], "ip_any_network"],
    [{ type: "media", ip_range: "example.com" }, ["body", "ip_range"], "ip_any_network"],
    [{ type: "media", ip_range: 7 }, ["body", "ip_range"], "string_type"],
  ])("a body that breaks the contract is refused at its place: %j", async (body, loc, type) => {
    const answer = await app.send("POST", PATH, body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc, msg: expect.any(String), type }]);
  });

  test("every IPv4 network that is accepted comes back as it was sent", async () => {
    const network = fc
      .tuple(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 1, max: 32 }))
      .map(([address, bits]) => {
        const first = (address & (bits === 0 ? 0 : -1 << (32 - bits))) >>> 0;
        return `${[24, 16, 8, 0].map((shift) => (first >>> shift) & 255).join(".")}/${bits}`;
      });
    await fc.assert(
      fc.asyncProperty(network, async (ip_range) => {
        const { status, body } = await app.send("POST", PATH, { type: "media", ip_range });
        if (status === 400) return;
        expect([status, body.ip_range]).toEqual([201, ip_range]);
      }),
      { numRuns: rounds(15, 400) },
    );
  });
});
