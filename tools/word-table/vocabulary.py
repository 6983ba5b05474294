"""Lists the words of the table: usual English words of GloVe, in its order of frequency, and of the
lexicon. Names of persons and places are left out, if they are not frequent.

python3 vocabulary.py <glove.json> <WordNet's dict> > words.json
"""

import json
import re
import sys
from pathlib import Path

# Words of these ranks are taken without, and up to these with a lemma of WordNet.
ALWAYS, AT_MOST, NAMES_UP_TO = 2_500, 45_000, 12_000
HERE = Path(__file__).parent
ENDINGS = [("ies", "y"), ("es", ""), ("es", "e"), ("s", ""), ("ied", "y"), ("ed", ""), ("ed", "e"),
           ("ing", ""), ("ing", "e"), ("er", ""), ("er", "e"), ("est", ""), ("est", "e"),
           ("ily", "y"), ("ly", "")]


def lemmas(dictionary: Path) -> dict[str, bool]:
    """Returns each lemma, and whether all its senses are instances, such as persons and places."""
    instances: dict[str, bool] = {}
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (dictionary / f"data.{kind}").read_text("latin1").splitlines():
            if line.startswith("  "):
                continue
            fields = line.split(" | ")[0].split()
            for at in range(int(fields[3], 16)):
                word = fields[4 + 2 * at].replace("_", " ").split("(")[0].lower()
                instances[word] = instances.get(word, True) and "@i" in fields
    return instances


def irregular(dictionary: Path) -> dict[str, list[str]]:
    """Returns the lemmas of irregular forms: "stolen" is of "steal"."""
    lines = [line.split() for file in dictionary.glob("*.exc") for line in file.read_text().splitlines()]
    return {line[0]: line[1:] for line in lines}


def forms(word: str, irregulars: dict[str, list[str]]) -> list[str]:
    """Returns the word and what it may be an inflection of."""
    found = [word, *irregulars.get(word, [])]
    for ending, instead in ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2:
            found.append(stem + instead)
            if len(stem) > 3 and stem[-1] == stem[-2]:
                found.append(stem[:-1])
    return found


def main(glove: str, dictionary: str) -> None:
    known = lemmas(Path(dictionary))
    irregulars = irregular(Path(dictionary))
    words = []
    for rank, word in enumerate(json.loads(Path(glove).read_text())["vectors"]):
        if rank >= AT_MOST or not re.fullmatch(r"[a-z]{2,}|[ai]", word):
            continue
        senses = [known[form] for form in forms(word, irregulars) if form in known]
        if rank < ALWAYS or (senses and (rank <= NAMES_UP_TO or not all(senses))):
            words.append({"word": word, "rank": rank})
    print(json.dumps(words))


main(*sys.argv[1:])
