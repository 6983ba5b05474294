/** A model's bare name. Google puts it into the URL's path, so it can't climb out of that. */
export const MODEL_NAME = /^(?!.*\.\.)[A-Za-z0-9][\w.:/@+-]{0,199}$/;
