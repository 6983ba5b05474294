let opened: number | undefined;

/** The case that was open last. The queue puts the focus there once. */
export const lastOpened = {
  set(id: number): void {
    opened = id;
  },
  take(): number | undefined {
    const taken = opened;
    opened = undefined;
    return taken;
  },
};
