import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Random, randomFrom } from "../souls/random.ts";

export interface MadeSoul {
  title: string;
  description: string;
  /** A category slug. */
  role: string;
  domain: string;
  content: string;
}

/** A wish, and the index of the soul that fulfils it. */
export interface Wish {
  text: string;
  soul: number;
}

const linesOf = (file: string) =>
  readFileSync(join(import.meta.dirname, file), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split("|"));

/**
 * Returns 100 souls, two wishes for each in other words than the soul's, and made-up souls about
 * 450 other subjects. The author of the held-out wishes had seen neither lexicon nor other wishes
 * (0080). The same count gives the same souls.
 */
export function manySouls(
  count: number,
): Record<"wishes" | "heldOut", Wish[]> & { souls: MadeSoul[] } {
  const random = randomFrom(38);
  const described = linesOf("wishes.txt");
  const souls = described.map(
    ([title = "", role = "", domain = "", description = "", text = ""]) => {
      const rules = shuffle(random, anyRules).slice(0, 2).join(" ");
      const content = `# ${title}\n\nYou are ${title}. ${description}\n\n${text} ${rules}`;
      return { title, role, domain, description, content };
    },
  );
  const wishesOf = (lines: string[][]) =>
    lines.flatMap((texts, soul) => texts.map((text) => ({ text, soul })));
  const wishes = wishesOf(described.map((fields) => fields.slice(5)));
  const heldOut = wishesOf(linesOf("held-out.txt"));
  const subjects = linesOf("subjects.txt");
  while (souls.length < count) {
    // A few subjects are common. 97 spreads those over the list.
    const rank = Math.floor(subjects.length * random() ** 1.25);
    const [role = "", subject = "", aspects = ""] = subjects[(rank * 97) % subjects.length] ?? [];
    souls.push(soulAbout(random, role, subject, aspects.split(",")));
  }
  return { souls, wishes, heldOut };
}

function soulAbout(random: Random, role: string, subject: string, aspects: string[]): MadeSoul {
  const pick = (from: string[]) => from[Math.floor(random() * from.length)] ?? "";
  const parts: Record<string, string> = { name: pick(names), kind: pick(kinds), noun: pick(nouns) };
  parts.manner = pick(manners);
  parts.S = subject;
  const title = fill(pick(titles), parts);
  parts.S = random() < 0.5 ? subject : subject.toLowerCase();
  shuffle(random, aspects).forEach((aspect, at) => {
    parts[at + 1] = aspect;
  });
  const rules = [
    ...shuffle(random, subjectRules).slice(0, 3),
    ...shuffle(random, anyRules).slice(0, 2),
  ];
  return {
    title,
    description: fill(pick(descriptions), parts),
    role,
    domain: random() < 0.7 ? subject.toLowerCase() : pick([parts[1] ?? "", ""]),
    content: fill(`# ${title}\n\nYou are {name}. ${rules.join(" ")}`, parts),
  };
}

const fill = (template: string, parts: Record<string, string>) =>
  template.replace(/\{(\w+)\}/g, (_, name) => parts[name] ?? "");

function shuffle<T>(random: Random, items: readonly T[]): T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

const list = (text: string) => text.split(" ");
const lines = (text: string) => text.trim().split(/\n\s*/);

const names = list(
  "Ada Bruno Carla Dmitri Elif Farah Gustav Hana Igor Jonas Keiko Lars Mira Nadia Otto Priya Quentin Rosa Sven Tomas Uma Viktor Wanda Xenia Yusuf Zora Amara Boris Clio Dara Emil Freya Goran Heidi Imani Jules Kofi Luna Marek Nils Olga Pablo Rania Silas Tessa Ulf Vera Wilma Yara Zeno",
);
const kinds = list(
  "companion mentor guide coach expert assistant partner critic veteran teacher navigator consultant archivist enthusiast",
);
const nouns = list(
  "Lantern Compass Workshop Corner Desk Notebook Bench Studio Club Circle Harbor Bridge Anchor Window Garden Lodge Attic Ladder Mirror Almanac",
);
const manners = list("patient cheerful blunt curious precise warm dry experienced");
const titles = lines(`
  {name}, {S} {kind}
  {S} {noun}
  {name}'s {noun}
  The {S} {kind}
  Ask {name} about {S}
  {S} for beginners
  Advanced {S}
  {name} the {kind}`);
const descriptions = lines(`
  A {manner} {kind} for {S}: {1}, {2} and {3}.
  Explains {1} and {2} to newcomers, and {3} to those who know more.
  Answers questions about {S}, above all {1} and {2}.
  Helps with {1}, checks your {2} and warns of typical mistakes in {S}.
  Thirty years of {S}. Talks about {1}, {2} and the old days.
  Builds a weekly programme around {1} and {2}.
  Discusses the history of {S}, from {1} to {2}.
  Compares equipment for {S}: what you need for {1}, and what you can leave.
  Works through {1}, {2} and {3} with you.
  For clubs, classes and families: exercises on {1} and {2}.
  Reviews your {1} and names one thing to improve.
  Short daily lessons with examples from {1} and {2}.
  {1}, {2}, {3}: everything about {S} in plain words.
  Plans your next steps with {1}.
  Knows {S} inside out and keeps {1} and {2} simple.
  Turns {1} into something you can use today.
  Finds the right {1} for your taste and your budget.
  Teaches {1} step by step, then {2}.
  Tells you honestly whether your {1} will work.
  Fixes common problems with {1} and {2}.
  Writes about {1} and {2} with an eye for detail.
  Guides beginners through {S} without jargon.
  Sorts out {1}, prepares {2} and thinks of {3} before you do.
  {S} for people with little time.
  Trains your eye for {1} with quick drills.
  Organises {1} and {2} so that nothing is forgotten.
  An old hand at {S} who loves {1}.
  Chooses {1} with you and explains why {2} matter.
  Invents stories and examples around {1} and {2}.
  Supports you when {1} go wrong.`);
const subjectRules = lines(`
  Start with {4}, because most people stumble there.
  Ask how much experience there is before you mention {5}.
  When {6} come up, give one example and one counterexample.
  Compare {4} and {5} by what they are for.
  Come back to {6} at the end.
  Use tables only for {5}.
  Mention {4} and {6} if they matter.
  Refer difficult {5} to a professional.
  Show {4} first, then the theory of {S}.`);
const anyRules = lines(`
  Answer in at most six sentences.
  Say so when you don't know, and where one could look.
  End with a small task for today.
  Stay kind when a question has been asked before.
  No flattery.
  Ask one question at a time.
  Use the words of the other person.
  Give an example before the rule.
  Never invent a source.
  Offer two ways and name the price of each.
  Keep lists short.
  Write as you would speak at a kitchen table.
  Be honest about doubt.
  Don't lecture.
  Summarise what was agreed at the end.`);
