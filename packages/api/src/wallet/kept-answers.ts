interface KeptAnswersOptions {
  /** How long a yes is kept; a no never is. */
  keepMs: number;
  /** Of kept answers; the oldest is forgotten first. */
  max: number;
  now: () => number;
}

/** @param freshMs takes no kept yes that is older, unless nobody can be asked */
export type KeptAnswers = (
  question: string,
  ask: () => Promise<boolean>,
  freshMs?: number,
) => Promise<boolean>;

/** Who asks the same meanwhile gets the same answer, and a yes is kept: the operator pays for each. */
export function createKeptAnswers({ keepMs, max, now }: KeptAnswersOptions): KeptAnswers {
  const asking = new Map<string, Promise<boolean>>();
  /** When each was asked: a yes is never older than `keepMs`, however long it took. */
  const kept = new Map<string, number>();
  const age = (question: string) => now() - (kept.get(question) ?? Number.NEGATIVE_INFINITY);

  function keep(question: string, askedAt: number): void {
    kept.delete(question);
    kept.set(question, askedAt);
    // The oldest stand first.
    for (const oldest of kept.keys()) {
      if (kept.size <= max && age(oldest) < keepMs) break;
      kept.delete(oldest);
    }
  }

  async function askNow(question: string, ask: () => Promise<boolean>): Promise<boolean> {
    const askedAt = now();
    try {
      const isYes = await ask();
      if (isYes) keep(question, askedAt);
      else kept.delete(question);
      return isYes;
    } catch (error) {
      // What is good enough for everybody else: nobody is sent away for a bad moment of the chain.
      if (age(question) < keepMs) return true;
      throw error;
    }
  }

  return (question, ask, freshMs = keepMs) => {
    if (age(question) < Math.min(freshMs, keepMs)) return Promise.resolve(true);
    let answer = asking.get(question);
    if (!answer) {
      answer = askNow(question, ask).finally(() => asking.delete(question));
      asking.set(question, answer);
    }
    return answer;
  };
}
