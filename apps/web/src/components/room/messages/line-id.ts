/** The id of a message's element. */
export const lineId = (id: number): string => `message-${id}`;
