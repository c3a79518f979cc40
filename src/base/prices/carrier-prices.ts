/** What carriers charge by, as the setting names it. */
const CARRIER_UNITS = ["call_minute", "sms_segment", "whatsapp", "mail"] as const;
export type CarrierUnit = (typeof CARRIER_UNITS)[number];

/** In US dollars, as the operator states them; what is left out costs nothing as far as is known. */
export type CarrierPrices = Partial<Record<CarrierUnit, number>>;

/** "call_minute=0.014,sms_segment=0.0083"; null: it can't be read. */
export function parseCarrierPrices(text: string): CarrierPrices | null {
  const prices: CarrierPrices = {};
  for (const part of text.split(",")) {
    const [, name, usd] = /^\s*([a-z_]+)=(\d{1,4}(?:\.\d{1,9})?)\s*$/.exec(part) ?? [];
    const unit = CARRIER_UNITS.find((known) => known === name);
    if (unit === undefined) return null;
    prices[unit] = Number(usd);
  }
  return prices;
}

export const hasCarrierPrices = (prices: CarrierPrices): boolean => Object.keys(prices).length > 0;

/** What so many units cost. Pure. */
export const carrierFee = (prices: CarrierPrices, used: Partial<Record<CarrierUnit, number>>): number =>
  CARRIER_UNITS.reduce((sum, unit) => sum + (prices[unit] ?? 0) * (used[unit] ?? 0), 0);
