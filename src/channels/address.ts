import { domainToASCII } from "node:url";
import { parsePhoneNumberFromString } from "libphonenumber-js/core";
import metadata from "libphonenumber-js/min/metadata";

/** An address in its one spelling; null when it can't be one. */
export type Normalise = (target: string) => string | null;

type CampaignSender = { mode: string | null; source: string | null; caller_id: string | null };

/** How the targets of a campaign are spelled: national numbers are read as in the country of the number that sends. */
export function targetsOf({ mode, source, caller_id }: CampaignSender): Normalise {
  if (mode === "email") return normaliseEmail;
  const region = regionOf(source) ?? regionOf(caller_id);
  return (target) => normalisePhone(target, region);
}

/** A calling code, such as "1": the countries that share one share how numbers are dialled and how long they are. */
type Region = string;

/** Our own numbers are international, with or without their `+`. */
export function regionOf(address: string | null): Region | null {
  if (address === null) return null;
  const found = parse(address.startsWith("+") ? address : `+${address}`, null);
  return found?.isPossible() ? found.countryCallingCode : null;
}

/**
 * E.164. A number is taken if its country has numbers of that length: lists of area codes are always older than the
 * newest of them, and a number that nobody has costs one attempt.
 */
export function normalisePhone(target: string, region: Region | null): string | null {
  const text = visible(target);
  return northAmerican(text, region) ?? anyPhone(text, region);
}

function anyPhone(text: string, region: Region | null): string | null {
  const found = parse(text, region);
  // Behind an extension is somebody else than who picks up the number alone.
  if (!found?.isPossible() || found.ext !== undefined) return null;
  // Behind what is dialled for calls abroad a carrier's code may stand, and the rest be nobody's number.
  if (!text.startsWith("+") && found.countryCallingCode !== region)
    return found.isValid() ? found.number : null;
  return mayHaveLostPlus(text, region, found.nationalNumber) ? null : found.number;
}

/**
 * A spreadsheet drops a plus, and the zero before an area code. "4915123456789" is a number of Germany with either, and
 * nobody knows whose it is: then neither is called. Where it is none with the zero, the library reads it with the plus.
 */
function mayHaveLostPlus(text: string, region: Region | null, national: string): boolean {
  const digits = text.replace(/\D/g, "");
  if (region === null || text.startsWith("+") || digits !== national || !digits.startsWith(region))
    return false;
  return parse(`+${digits}`, null)?.isValid() === true;
}

/** Address books mark with signs that nobody sees in which direction a number is read. */
const visible = (target: string): string => target.replace(/\p{Cf}/gu, "").trim();

/** As most numbers are written that are dialled by the million; the library says the same of them in twenty times the time. */
function northAmerican(text: string, region: Region | null): string | null {
  const [, plus, area, exchange, line] = NORTH_AMERICAN.exec(text) ?? [];
  if (area === undefined || (plus === undefined && region !== "1")) return null;
  return `+1${area}${exchange}${line}`;
}

const NORTH_AMERICAN = /^(?:(\+)?1[ .-]?)?\(?([2-9]\d\d)\)?[ .-]?(\d{3})[ .-]?(\d{4})$/;

const parse = (text: string, region: Region | null) =>
  parsePhoneNumberFromString(text, { extract: false, ...defaultsOf(region) }, METADATA);

/** A country is asked for, as only countries know what is dialled for calls abroad: 00, 011, 010. */
function defaultsOf(region: Region | null) {
  if (region === null) return {};
  const defaultCountry = METADATA.country_calling_codes[region]?.[0];
  return defaultCountry ? { defaultCountry } : { defaultCallingCode: region };
}

/** One country a calling code: telling the 25 of +1 apart takes two thirds of the time, and nobody asks which it is. */
const METADATA = {
  ...metadata,
  country_calling_codes: Object.fromEntries(
    Object.entries(metadata.country_calling_codes).map(([code, countries]) => [code, countries.slice(0, 1)]),
  ),
} as typeof metadata;

/** RFC 5321's dot-string, 64 octets of it, and a domain of at least two labels. */
const LOCAL = /^(?=.{1,64}$)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/** In lower case: no mail server in use tells Ann@ from ann@, and nobody is to be written to twice. */
export function normaliseEmail(target: string): string | null {
  const text = visible(target).toLowerCase();
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0));
  const domain = domainToASCII(text.slice(at + 1));
  return LOCAL.test(local) && DOMAIN.test(domain) ? `${local}@${domain}` : null;
}

/** "(512) 555-0144", "512-555-0144", "030/1234567": as numbers are written within their own country, and ids are not. */
const NATIONAL = /^(?=(?:\D*\d){7,15}\D*$)(?:[\d()./ -]*[ ()/][\d()./ -]*|\d{3}[.-]\d{3}[.-]\d{4})$/;

export const isNational = (given: string): boolean =>
  NATIONAL.test(given.trim()) && normalisePhone(given, null) === null;

/** Said where such a number would find nobody. */
export const WITH_COUNTRY = "Write the number with its country code, such as +15125551234.";
