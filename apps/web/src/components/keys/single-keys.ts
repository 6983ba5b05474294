import { readItem, writeItem } from "../../stored-item.ts";

const STORAGE_KEY = "soulhub-single-keys";

/**
 * Whether shortcuts of one key without a modifier work. People who dictate, or who hit keys by
 * accident, can turn them off (WCAG 2.1.4). With disabled storage, they stay on.
 */
export const areSingleKeysOn = (): boolean => readItem(STORAGE_KEY) !== "off";

export const setSingleKeys = (isOn: boolean): boolean =>
  writeItem(STORAGE_KEY, isOn ? undefined : "off");
