import type { TestApp } from "./app.ts";

export const CONTACTS = "/api/v1/contacts/";
export const contactAt = (address: string): string => `${CONTACTS}${encodeURIComponent(address)}`;

/** Says that these addresses are one person's. */
export const createContact = (app: Pick<TestApp, "send">, addresses: string[], more: object = {}) =>
  app.send("POST", CONTACTS, { addresses, ...more });
