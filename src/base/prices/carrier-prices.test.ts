import { expect, test } from "vitest";
import { carrierFee, parseCarrierPrices } from "./carrier-prices.ts";

test("the operator's prices are read, and what is no price is not taken for one", () => {
  expect(parseCarrierPrices("call_minute=0.014, sms_segment=0.0083,mail=0")).toEqual({
    call_minute: 0.014,
    sms_segment: 0.0083,
    mail: 0,
  });
  for (const text of ["", "fax=1", "mail=-1", "mail=1e3", "mail", "call_minute=0.01;mail=1"])
    expect(parseCarrierPrices(text), text).toBeNull();
});

test("what has no price costs nothing", () => {
  expect(carrierFee({ call_minute: 0.01 }, { call_minute: 3, mail: 7 })).toBeCloseTo(0.03);
  expect(carrierFee({}, { call_minute: 3 })).toBe(0);
});
