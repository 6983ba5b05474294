const PREFIX = "message-";

/** The id of a message's element. */
export const lineId = (id: number): string => `${PREFIX}${id}`;

/** Selects the elements of stored messages. */
export const STORED_LINES = `[id^="${PREFIX}"]`;

/** The id of the message that an element shows. */
export const idOfLine = ({ id }: Element): number => Number(id.slice(PREFIX.length));
