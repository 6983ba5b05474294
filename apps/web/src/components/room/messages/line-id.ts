/** The id of a message's element. */
export const lineId = (id: number): string => `message-${id}`;

/** Selects the elements of stored messages. */
export const STORED_LINES = `[id^="${lineId(0).slice(0, -1)}"]`;

/** The id of the message that an element shows. */
export const idOfLine = ({ id }: Element): number => Number(id.slice(lineId(0).length - 1));
