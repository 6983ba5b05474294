/** Reads the data of server-sent events, one event after another. Comments and names are left out. */
export async function* readEvents({ body }: Response): AsyncGenerator<string> {
  if (!body) return;
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const events = `${rest}${piece}`.replaceAll("\r\n", "\n").split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const lines = event.split("\n").filter((line) => line.startsWith("data:"));
      if (lines.length > 0) yield lines.map((line) => line.slice(5).replace(/^ /, "")).join("\n");
    }
  }
}
