"""Makes the table of words that the hub searches with (docs/decisions/0080-a-table-of-words.md).

python3 train.py words.json sentence-encoder.f32 <glove.json> <words.bin>

Needs numpy and scipy. The vector of a word starts from GloVe and the Universal Sentence Encoder. It
is then moved so that a wish comes closer to the description of what it wishes for than to 350 other
descriptions. Wishes and descriptions are composed from the lexicon: each of its lines lists words
and phrases of one subject, as authors and as other people say them.
"""

import json
import random
import re
import struct
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp

STEPS, LINES_PER_STEP, TEMPERATURE, RATE, DECAY = 900, 360, 0.07, 0.05, 1e-4
# The components while training, and of the table.
WIDTH, DIMENSIONS = 256, 192
# Lines as close as this may be about one subject: they are not held against each other.
SAME_SUBJECT = 0.5
# The rank in frequency of a word that only the lexicon has.
UNRANKED = 20_000
SOURCES = Path(__file__).parent
STARTERS = SOURCES / "../../packages/api/src/souls/starter"
ROLES = ("Software Engineering,Data & Analysis,Science & Research,Education,Languages,Writing & Editing,"
         "Art & Design,Business & Marketing,Personal Finance,Law & Rights,Health & Wellbeing,Food & Cooking,"
         "Travel,Games & Hobbies,Stories & Characters,Productivity").split(",")


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-6)


def words_of(text):
    """Splits a text as table-model.ts does."""
    found = re.findall(r"c\+\+|[a-z]+(?:'[a-z]+)?|\d+", text.lower())
    return [word.removesuffix("'s") for word in found]


class Corpus:
    """Composes wishes and descriptions."""

    def __init__(self, lexicon, rng):
        self.rng = rng
        lines = [line.split(", ") for line in lexicon.lower().splitlines()]
        self.lines = [line for line in lines if len(line) >= 3]
        parts = re.split(r"# .*\n", (SOURCES / "phrases.txt").read_text())[1:]
        self.wishes, self.descriptions, self.texts, self.names = (part.splitlines() for part in parts)
        prose = " ".join(re.sub(r"[#*_`>-]+", " ", file.read_text()) + ". " for file in sorted(STARTERS.rglob("*.md")))
        sentences = re.split(r"(?<=[.!?])\s+", prose)
        self.prose = [sentence for sentence in sentences if 25 < len(sentence) < 150]

    def wish(self, phrases):
        return self.rng.choice(self.wishes).replace("%", " ".join(phrases))

    def description(self, phrases, rules):
        rng = self.rng
        return " ".join([
            rng.choice(self.names) if rng.random() < 0.5 else phrases[0],
            rng.choice(self.descriptions).replace("%", " ".join(phrases[:3])),
            rng.choice(ROLES) if rng.random() < 0.7 else "",
            *(rule.replace("%", rng.choice(phrases)) for rule in rules),
            *phrases[3:],
        ])

    def soul(self, at):
        """Returns a soul about the subject of a line, most of which could be in any other soul."""
        rules = self.rng.sample(self.texts, 3) + self.rng.sample(self.prose, 2)
        return self.description(self.rng.sample(self.lines[at], 3), rules)

    def pair(self, at):
        """Returns a wish and a description of the subject of a line, in different words."""
        phrases = self.rng.sample(self.lines[at], len(self.lines[at]))
        wished = 1 if self.rng.random() < 0.7 else 2
        described = phrases[wished:wished + self.rng.randint(3, 7)]
        rules = self.rng.sample(self.texts, self.rng.randint(1, 5))
        return self.wish(phrases[:wished]), self.description(described or phrases, rules)


class Words:
    """The words, their ranks in frequency and their first vectors."""

    def __init__(self, words_file, encoder_file, glove_file, corpus):
        listed = json.loads(Path(words_file).read_text())
        names = [entry["word"] for entry in listed]
        used = {word for line in corpus.lines for phrase in line for word in words_of(phrase)}
        added = sorted(used - set(names))
        self.names = names + added
        self.ranks = np.array([entry["rank"] for entry in listed] + [UNRANKED] * len(added))
        self.at = {word: at for at, word in enumerate(self.names)}
        glove = json.loads(Path(glove_file).read_text())["vectors"]
        first = np.array([glove[word][:100] for word in names], np.float32)
        first -= first.mean(0)
        first -= first @ (top := np.linalg.svd(first[:20_000], full_matrices=False)[2][:1]).T @ top
        second = unit(np.fromfile(encoder_file, np.float32).reshape(-1, 512))
        second -= second.mean(0)
        second = second @ np.linalg.svd(second, full_matrices=False)[2][:256].T
        known = 0.7 * np.hstack([unit(first), unit(second)])
        self.features = np.vstack([known, np.zeros((len(added), known.shape[1]))]).astype(np.float32)

    def counts(self, texts):
        """Returns the square roots of how often each text has each word."""
        rows, columns = [], []
        for row, text in enumerate(texts):
            found = [self.at[word] for word in words_of(text) if word in self.at]
            rows += [row] * len(found)
            columns += found
        matrix = sp.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), (len(texts), len(self.names)))
        matrix.sum_duplicates()
        matrix.data = np.sqrt(matrix.data)
        return matrix


def train(words, corpus, rng):
    """Returns the vectors of the words."""
    features = words.features
    # The vector of a word is its weight × (features × projection + what is its own).
    projection = np.linalg.svd(features[:20_000], full_matrices=False)[2][:WIDTH].T.copy()
    own = np.zeros((len(features), WIDTH), np.float32)
    frequency = 1 / (words.ranks + 10) / 13
    weights = (1e-3 / (1e-3 + frequency)).astype(np.float32)
    speeds = np.full((2, len(features)), 1e-6, np.float32)
    moment, speed = np.zeros_like(projection), np.zeros_like(projection)
    whole_lines = words.counts([" ".join(line) for line in corpus.lines])
    for step in range(STEPS):
        if step % 75 == 0:
            lines = unit(whole_lines @ ((features @ projection + own) * weights[:, None]))
            lines = unit(lines - lines.mean(0))
            close = lines @ lines.T > SAME_SUBJECT
            np.fill_diagonal(close, False)
        chosen = rng.sample(range(len(corpus.lines)), LINES_PER_STEP)
        wishes, descriptions = zip(*(corpus.pair(at) for at in chosen))
        counts = words.counts([*wishes, *descriptions])
        used = np.unique(counts.indices)
        counts = counts[:, used]
        scale = weights[used][:, None]
        vectors = features[used] @ projection + own[used]
        # Forward: sums of words, their directions, and how well each wish chooses.
        sums = counts @ (vectors * scale)
        lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
        units = sums / lengths
        asked, told = units[:LINES_PER_STEP], units[LINES_PER_STEP:]
        scores = asked @ told.T / TEMPERATURE
        scores[close[np.ix_(chosen, chosen)]] = -50
        by_wish = np.exp(scores - scores.max(1, keepdims=True))
        by_description = np.exp(scores - scores.max(0))
        by_wish /= by_wish.sum(1, keepdims=True)
        by_description /= by_description.sum(0)
        # Backward.
        slope = (by_wish + by_description - 2 * np.eye(LINES_PER_STEP)) / (2 * LINES_PER_STEP * TEMPERATURE)
        slope = np.vstack([slope @ told, slope.T @ asked])
        slope = (slope - units * (slope * units).sum(1, keepdims=True)) / lengths
        slope = (counts.T @ slope).astype(np.float32)
        of_weights = (slope * vectors).sum(1) * weights[used]
        of_vectors = slope * scale
        of_projection = features[used].T @ of_vectors
        of_own = of_vectors + DECAY * own[used]
        # Adam for the projection, AdaGrad per word.
        rate = RATE * (1 - step / STEPS)
        moment = 0.9 * moment + 0.1 * of_projection
        speed = 0.99 * speed + 0.01 * of_projection**2
        projection -= 0.06 * rate * moment / (np.sqrt(speed) + 1e-8)
        speeds[0, used] = 0.999 * speeds[0, used] + (of_own**2).mean(1)
        own[used] -= 0.5 * rate * of_own / np.sqrt(speeds[0, used])[:, None]
        speeds[1, used] = 0.999 * speeds[1, used] + of_weights**2
        weights[used] *= np.exp(-0.6 * rate * of_weights / np.sqrt(speeds[1, used]))
        np.clip(weights, 0.01, 8, out=weights)
        if step % 100 == 99:
            print(step + 1, "loss", round(float(-np.log(np.diag(by_wish)).mean()), 3), flush=True)
    return (features @ projection + own) * weights[:, None]


def narrow(table, words, corpus):
    """Keeps the components that tell souls apart, turned so that each of them tells as much.

    Returns the table, and the mean of the souls: what all have in common tells nothing.
    """
    souls = [corpus.soul(at) for at in range(len(corpus.lines)) for _ in range(3)]
    units = unit(words.counts(souls) @ table)
    mean = units.mean(0)
    kept = np.linalg.svd(units - mean, full_matrices=False)[2][:DIMENSIONS].T
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(DIMENSIONS, DIMENSIONS)))[0]
    return table @ kept @ turn, mean @ kept @ turn


def hash_of(word):
    """FNV-1a, 32 bits, as word-table.ts has it."""
    value = 0x811C9DC5
    for byte in word.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def write(path, words, table, mean):
    """Writes the format of word-table.ts. Of two words with one hash the commoner stays."""
    order: dict[int, int] = {}
    for at in np.argsort(words.ranks, kind="stable"):
        order.setdefault(hash_of(words.names[at]), int(at))
    hashes = sorted(order)
    rows = table[[order[each] for each in hashes]]
    ranks = words.ranks[[order[each] for each in hashes]]
    scales = np.abs(rows).max(1, keepdims=True) / 127
    with open(path, "wb") as file:
        file.write(b"SHW1" + struct.pack("<II", len(hashes), DIMENSIONS))
        file.write(np.array(hashes, "<u4").tobytes())
        file.write(np.minimum(255, np.round(16 * np.log2(1 + ranks))).astype("u1").tobytes())
        file.write(mean.astype("<f4").tobytes())
        for scale, row in zip(scales[:, 0], np.round(rows / scales)):
            file.write(struct.pack("<f", scale) + row.astype("i1").tobytes())


def main(words_file, encoder_file, glove_file, table_file):
    rng = random.Random(1)
    corpus = Corpus((SOURCES / "lexicon.txt").read_text(), rng)
    words = Words(words_file, encoder_file, glove_file, corpus)
    table, mean = narrow(train(words, corpus, rng), words, corpus)
    write(table_file, words, table, mean)


main(*sys.argv[1:])
