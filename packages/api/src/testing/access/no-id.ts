/** The id of no soul, message, case or key. */
export const NO_ID = 2 ** 53 - 1;
