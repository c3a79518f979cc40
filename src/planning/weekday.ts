/** As the API stores days. */
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Every spelling of a day that the API reads, and the day it stands for. */
const DAY_OF_NAME = {
  mon: "mon",
  tue: "tue",
  wed: "wed",
  thu: "thu",
  fri: "fri",
  sat: "sat",
  sun: "sun",
  monday: "mon",
  tuesday: "tue",
  wednesday: "wed",
  thursday: "thu",
  friday: "fri",
  saturday: "sat",
  sunday: "sun",
} as const satisfies Record<string, Weekday>;
export type WeekdayName = keyof typeof DAY_OF_NAME;

export const WEEKDAY_NAMES = Object.keys(DAY_OF_NAME) as [WeekdayName, ...WeekdayName[]];

export const weekdayNamed = (name: WeekdayName): Weekday => DAY_OF_NAME[name];
