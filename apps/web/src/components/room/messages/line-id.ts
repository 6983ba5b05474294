const PREFIX = "message-";

/** The id of a message's element. */
export const lineId = (id: number): string => `${PREFIX}${id}`;

/** The id of the message that an element shows. */
export const idOfLine = (elementId: string): number => Number(elementId.slice(PREFIX.length));
