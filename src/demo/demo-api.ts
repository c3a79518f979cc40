import { createHash } from "node:crypto";
import { z } from "zod";
import type { Api } from "../api/server.ts";
import { Fault } from "../base/errors.ts";

/**
 * The calendar of the demo clinic: a small HTTP API of our own that the demo's tools call as they would call any other.
 * Tools name it `http://demo.parley.internal`, a host that exists only as a route of the guarded egress.
 */
export const DEMO_HOST = "demo.parley.internal";
export const DEMO_PREFIX = "/demo/";

export const SERVICES = ["check-up", "cleaning", "vaccination"] as const;
const HOURS = ["09:00", "09:45", "10:30", "11:15", "14:00", "14:45", "15:30"];
const MAX_BOOKINGS = 1000;
/** Simulated people share a name and a telephone: they would soon have taken all times of the days that they ask for. */
const MOST_OF_ONE_PERSON = 2;

const SlotQuery = z.object({ service: z.enum(SERVICES), date: z.iso.date() });
const Cancellation = z.object({ confirmation: z.string().regex(/^[Dd][Cc]-[0-9A-Za-z]{4}$/) });
const Booking = z.object({
  slot_id: z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}-[a-z-]+$/),
  name: z.string().min(1).max(200),
  phone: z.string().min(3).max(40),
});

/** By `slot_id`, the oldest first. */
type Booked = Map<string, { name: string; phone: string; confirmation: string }>;

export function demoApiRoutes(api: Api): void {
  const operation = { tag: "demo", permission: "public", hidden: true } as const;
  /** Forgotten when the program stops: it is a demo. */
  const booked: Booked = new Map();

  api.get("/demo/slots", { ...operation, summary: "Free times of a day", query: SlotQuery }, ({ query }) => {
    const times = openTimes(query.date, query.service);
    const slots = times
      .map((time) => ({
        slot_id: `${query.date}T${time}-${query.service}`,
        date: query.date,
        time,
        service: query.service,
      }))
      .filter((slot) => !booked.has(slot.slot_id));
    return { service: query.service, date: query.date, slots };
  });

  api.post("/demo/appointments", { ...operation, summary: "Book a free time", body: Booking }, ({ body }) => {
    const [date = "", rest = ""] = body.slot_id.split("T");
    const time = rest.slice(0, 5);
    const service = rest.slice(6);
    if (!openTimes(date, service).includes(time))
      throw new Fault("not-found", `There is no slot ${body.slot_id}.`);
    const holder = booked.get(body.slot_id);
    if (holder && holder.name !== body.name)
      throw new Fault("conflict", "Somebody else took this time just now.");

    const { slot_id, name, phone } = body;
    const confirmation = confirmationOf(slot_id);
    if (!holder) {
      makeRoom(booked, body);
      booked.set(slot_id, { name, phone, confirmation });
    }
    return { status: "booked", confirmation, service, date, time, name };
  });

  api.post("/demo/cancellations", { ...operation, summary: "Cancel", body: Cancellation }, ({ body }) => {
    const wanted = body.confirmation.toUpperCase();
    const [slot_id] = [...booked].find(([, { confirmation }]) => confirmation === wanted) ?? [];
    if (slot_id === undefined) throw new Fault("not-found", `There is no appointment ${wanted}.`);
    booked.delete(slot_id);
    const [date = "", rest = ""] = slot_id.split("T");
    return { status: "cancelled", service: rest.slice(6), date, time: rest.slice(0, 5) };
  });
}

/** Gives up the oldest appointment of a person who has enough of them, or of anybody where the calendar is full. */
function makeRoom(booked: Booked, { name, phone }: { name: string; phone: string }): void {
  const theirs = [...booked].filter(([, held]) => held.name === name && held.phone === phone);
  const [oldest] =
    theirs.length >= MOST_OF_ONE_PERSON ? theirs : booked.size >= MAX_BOOKINGS ? [...booked] : [];
  if (oldest) booked.delete(oldest[0]);
}

/** Four hours of a working day, the same ones each time they are asked for. */
export function openTimes(date: string, service: string): string[] {
  const weekday = Temporal.PlainDate.from(date).dayOfWeek;
  if (weekday > 5) return [];
  const drawn = new Map(HOURS.map((time) => [time, digest(`${date} ${time} ${service}`)]));
  const even = HOURS.filter((time) => drawn.get(time)![0]! % 2 === 0);
  const others = HOURS.filter((time) => !even.includes(time)).toSorted((a, b) =>
    drawn.get(a)!.compare(drawn.get(b)!),
  );
  return [...even, ...others].slice(0, 4).toSorted();
}

const confirmationOf = (slot_id: string): string =>
  `DC-${digest(slot_id).readUInt16BE(0).toString(36).toUpperCase().padStart(4, "0")}`;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
