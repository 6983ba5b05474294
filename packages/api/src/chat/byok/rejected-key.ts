/** Google refuses a bad key with 400, like a bad request: here it is 401, as everywhere else. */
export const withGoogleRejections =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 400) return response;
    const text = await response.text();
    const status = text.includes("API_KEY_INVALID") ? 401 : 400;
    return new Response(text, { status, headers: response.headers });
  };
