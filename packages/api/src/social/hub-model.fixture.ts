import type { SoulFields } from "../souls/change-soul.ts";
import { detectFileType } from "../souls/soul-content.ts";

/** The text fields of a soul, which snapshots store and forks copy. */
export type SoulText = Omit<SoulFields, "is_public" | "nft_contract">;

export interface SoulModel {
  /** The id that the hub gave to the soul. */
  id: number;
  owner: string;
  text: SoulText;
  isPublic: boolean;
  likes: Set<string>;
  ratings: Map<string, number>;
  forks: number;
  forkedFrom: number | null;
  /** The stored versions of the soul, oldest first. */
  versions: { text: SoulText; wasPublic: boolean }[];
}

/** An in-memory model of accounts, souls, versions, likes, ratings and forks. */
export class HubModel {
  readonly accounts: string[] = [];
  readonly souls: SoulModel[] = [];
  /** Ids of deleted souls. A request for a deleted soul must fail like one for an unknown id. */
  readonly deleted: number[] = [];

  /** Returns a soul id for any number, deleted souls included; undefined without souls. */
  soulId(nth: number): number | undefined {
    const ids = [...this.souls.map(({ id }) => id), ...this.deleted];
    return ids[nth % ids.length];
  }

  find = (id: number) => this.souls.find((soul) => soul.id === id);

  /** True if the caller may see the soul. @param who username, or null for a guest */
  maySee = (soul: SoulModel, who: string | null) => soul.isPublic || soul.owner === who;

  /** Returns the error code of reading, liking or rating a soul, or undefined if allowed. */
  hidden(id: number, who: string | null): string | undefined {
    const soul = this.find(id);
    return soul && this.maySee(soul, who) ? undefined : "soul_not_found";
  }

  /** Returns the error code of changing a soul, or undefined if allowed. */
  locked(id: number, who: string): string | undefined {
    return this.hidden(id, who) ?? (this.find(id)?.owner === who ? undefined : "not_owner");
  }

  publish(id: number, owner: string, text: SoulText, isPublic: boolean, from?: SoulModel): void {
    this.souls.push({
      id,
      owner,
      text,
      isPublic,
      likes: new Set(),
      ratings: new Map(),
      forks: 0,
      forkedFrom: from?.id ?? null,
      versions: [],
    });
  }

  change(soul: SoulModel, text: Partial<SoulText>, isPublic = soul.isPublic): void {
    soul.versions.push({ text: soul.text, wasPublic: soul.isPublic });
    soul.text = { ...soul.text, ...text };
    soul.isPublic = isPublic;
  }

  delete(soul: SoulModel): void {
    this.souls.splice(this.souls.indexOf(soul), 1);
    this.deleted.push(soul.id);
  }

  versionsFor = (soul: SoulModel, who: string | null) =>
    soul.versions
      .filter(({ wasPublic }) => wasPublic || soul.owner === who)
      .map(({ text }) => text)
      .reverse();

  /** Returns the fields of GET /api/soul/{id} that the model knows. */
  shown({ owner, text, isPublic, likes, ratings, forks, forkedFrom, id }: SoulModel) {
    return {
      id,
      username: owner,
      ...text,
      file_type: detectFileType(text.content),
      is_public: isPublic ? 1 : 0,
      like_count: likes.size,
      fork_count: forks,
      forked_from: forkedFrom,
      ...this.rated(ratings),
    };
  }

  rated(ratings: SoulModel["ratings"]) {
    const sum = [...ratings.values()].reduce((total, rating) => total + rating, 0);
    const average = ratings.size === 0 ? 0 : Math.round((sum / ratings.size) * 100) / 100;
    return { avg_rating: average, total_ratings: ratings.size };
  }

  /** Returns the statistics and the soul ids of GET /api/profile. */
  profile(username: string) {
    const open = this.souls.filter(({ owner, isPublic }) => owner === username && isPublic);
    return {
      stats: {
        total_souls: open.length,
        total_likes: open.reduce((sum, { likes }) => sum + likes.size, 0),
        total_forks: open.reduce((sum, { forks }) => sum + forks, 0),
      },
      ids: open.map(({ id }) => id).sort((a, b) => b - a),
    };
  }

  /** Returns the number of souls per domain tag. */
  tags(): Record<string, number> {
    const uses: Record<string, number> = {};
    for (const { text } of this.souls) {
      if (text.domain) uses[text.domain] = (uses[text.domain] ?? 0) + 1;
    }
    return uses;
  }
}
