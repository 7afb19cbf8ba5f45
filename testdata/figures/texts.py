"""Metrics of single outputs and of corpora.

EASSE is not on PyPI: its SARI is computed here by its definition, on sacreBLEU's 13a tokens.
"""

import csv
import re
from collections import Counter

import Levenshtein
import nltk
import sacrebleu
from sacrebleu.metrics import CHRF, TER
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a



def has_punkt():
    try:
        return bool(nltk.data.find("tokenizers/punkt_tab/english/"))
    except LookupError:
        return False


CUT = Tokenizer13a()
# NLTK's sentence model is not on PyPI: `python -m nltk.downloader punkt_tab` fetches it.
PUNKT = has_punkt()
ORDERS = range(4)


def grams(text):
    tokens = CUT(text.lower()).split()
    return [Counter(" ".join(tokens[at:at + n + 1]) for at in range(len(tokens) - n)) for n in ORDERS]


def times(counts, factor):
    return Counter({gram: count * factor for gram, count in counts.items()})


class Sari:
    """Counts of EASSE's SARI, by order: right, by the output, by the references."""

    def __init__(self):
        self.added, self.kept, self.deleted = ([[0, 0, 0] for _ in ORDERS] for _ in range(3))

    def add(self, source, output, references):
        source, output, references = grams(source), grams(output), [grams(text) for text in references]
        for n in ORDERS:
            wanted = sum((reference[n] for reference in references), Counter())
            of_source, of_output = times(source[n], len(references)), times(output[n], len(references))
            new, to_add = set(of_output) - set(of_source), set(wanted) - set(of_source)
            kept, to_keep = of_source & of_output, of_source & wanted
            gone, to_delete = of_source - of_output, of_source - wanted
            for sums, counts in [
                (self.added, (len(new & to_add), len(new), len(to_add))),
                (self.kept, ((kept & to_keep).total(), kept.total(), to_keep.total())),
                (self.deleted, ((gone & to_delete).total(), gone.total(), to_delete.total())),
            ]:
                sums[n] = [a + b for a, b in zip(sums[n], counts)]

    def scores(self):
        add, keep, delete = (100 * sum(map(f1, part)) / 4 for part in [self.added, self.kept, self.deleted])
        precise = 100 * sum(share(right, of) for right, of, _ in self.deleted) / 4
        return {"sari": (add + keep + delete) / 3, "add": add, "keep": keep, "del": delete,
                "sari_delprec": (add + keep + precise) / 3, "del_prec": precise}

    def stats(self):
        return [list(column) for part in [self.added, self.kept, self.deleted] for column in zip(*part)]


def share(part, whole):
    return part / whole if whole else 0


def f1(counts):
    precision, recall = share(counts[0], counts[1]), share(counts[0], counts[2])
    return share(2 * precision * recall, precision + recall)


def corpus_bleu(outputs, references, **options):
    return sacrebleu.corpus_bleu(outputs, references, **options)


def bleu_figures(found, lower):
    return {"score": found.score, "counts": found.counts, "totals": found.totals,
            "precisions": found.precisions, "bp": found.bp, "sys_len": found.sys_len,
            "ref_len": found.ref_len, lower[0]: lower[1].score}


def words(text):
    return re.findall(r"\w+(?:[-'’]\w+)*", text.lower())


def is_subsequence(output, source):
    """Whether the output only leaves out words of the source."""
    left = iter(words(source))
    return all(word in left for word in words(output))


def sentences(golden, _):
    for at, item in enumerate(golden["items"]):
        source, output, references = item["source"], item["hypothesis"], item["references"]
        found = sacrebleu.sentence_bleu(output, references)
        lower = sacrebleu.sentence_bleu(output, references, lowercase=True)
        floor = {"smooth_method": "floor"}
        sari = Sari()
        sari.add(source, output, references)
        place = ("items", at, "expected")
        if PUNKT:
            yield (*place, "nltk_word_tokenize_lower"), nltk.word_tokenize(output.lower())
            yield (*place, "nltk_sentences"), nltk.sent_tokenize(output)
        yield place, {
            "sacrebleu_sentence": bleu_figures(found, ("score_lowercase", lower)),
            "sacrebleu_chrf2": CHRF().sentence_score(output, references).score,
            "sacrebleu_ter": TER().sentence_score(output, references).score,
            "tok13a_hyp": CUT(output),
            "easse_sentence_bleu_floor": sacrebleu.sentence_bleu(output, references, **floor).score,
            "easse_sentence_bleu_floor_lc": sacrebleu.sentence_bleu(
                output, references, lowercase=True, **floor).score,
            "easse_sari": sari.scores(),
            "levenshtein_distance_src_hyp": Levenshtein.distance(source, output),
            "levenshtein_ratio_src_hyp(indel)": Levenshtein.ratio(source, output),
            "normalized_similarity_1-d/max": 1 - share(Levenshtein.distance(source, output),
                                                       max(len(source), len(output))),
            "self_bleu_src_sentence": sacrebleu.sentence_bleu(output, [source]).score,
            "compression": {"char": share(len(output), len(source)),
                            "ws_tokens": share(len(output.split()), len(source.split()))},
            "delete_only_subsequence(words,lower)": is_subsequence(output, source),
            "exact_copy": output == source,
        }


def corpus_figures(rows):
    """Figures of (source, output, references)."""
    sources, outputs, references = zip(*rows)
    streams = list(zip(*references))
    found, lower = corpus_bleu(outputs, streams), corpus_bleu(outputs, streams, lowercase=True)
    sari = Sari()
    for row in rows:
        sari.add(*row)
    scores = sari.scores()
    single = [sacrebleu.sentence_bleu(output, refs).score for _, output, refs in rows]
    return {
        "n": len(rows), "n_refs": len(streams),
        "sacrebleu_corpus": bleu_figures(found, ("score_lc", lower)),
        "chrf": CHRF().corpus_score(outputs, streams).score,
        "easse_corpus_bleu": found.score, "easse_corpus_bleu_lc": lower.score,
        "easse_sari": {**{key: scores[key] for key in ["sari", "add", "keep", "del"]},
                       "ngram_stats[addC,addS,addR,keepC,keepS,keepR,delC,delS,delR]": sari.stats()},
        "self_bleu_vs_source_corpus": corpus_bleu(outputs, [sources]).score,
        "mean_sentence_bleu": sum(single) / len(single),
        "exact_copies": sum(source == output for source, output, _ in rows),
    }


def corpora(golden, released):
    folder, ratings = released / "asset", released / "simpeval" / "simpeval_past.csv"
    if not folder.is_dir() or not ratings.is_file():
        return
    names = ["orig", *(f"simp.{n}" for n in range(10))]
    texts = [(folder / f"asset.test.{name}").read_text().split("\n") for name in names]
    lines = list(zip(*texts))
    with ratings.open(newline="") as file:
        rows = list(csv.DictReader(file))
    by_system, everything = {}, []
    for row in rows:
        source, *references = lines[golden["asset_line_by_original_id"][row["original_id"]]]
        entry = (int(row["original_id"]), (source, row["processed_generation"], references))
        by_system.setdefault(row["system"], []).append(entry)
        everything.append(entry[1])
    for system, entries in by_system.items():
        ordered = [row for _, row in sorted(entries, key=lambda entry: entry[0])]
        yield ("expected_by_system", system), corpus_figures(ordered)
    yield ("expected_all_rows_file_order",), corpus_figures(everything)
    first = [(line[0], line[1], list(line[2:])) for line in lines if line[0]]
    yield ("asset_human_refs_leave_one_out", "ref0_vs_rest9_full359"), corpus_figures(first)


def diversity(golden, _):
    for at, case in enumerate(golden["diversity_zhu2018"]):
        texts = case["hypotheses"]
        each = [sacrebleu.sentence_bleu(text, texts[:n] + texts[n + 1:]).score for n, text in enumerate(texts)]
        yield ("diversity_zhu2018", at), {
            "expected_each_vs_rest": each, "expected_self_bleu_mean": sum(each) / len(each)}


def bleu_name(tokeniser, lower):
    return "bleu" + ("-lc" if lower else "") + ("" if tokeniser == "13a" else f"-{tokeniser}")


def bleu_options(golden, _):
    items = golden["items"]
    outputs = [item["hypothesis"] for item in items]
    references = list(zip(*(item["references"] for item in items)))
    for tokeniser in ("13a", "intl", "char", "none"):
        for lower in (False, True):
            name, options = bleu_name(tokeniser, lower), {"tokenize": tokeniser, "lowercase": lower}
            for at, item in enumerate(items):
                found = sacrebleu.sentence_bleu(item["hypothesis"], item["references"], **options)
                yield ("items", at, "expected", name), found.score
            yield ("expected_corpus", name), sacrebleu.corpus_bleu(outputs, references, **options).score


def categories(golden, _):
    for at, item in enumerate(golden["items"]):
        source, output = item["source"], item["output"]
        ratio, subsequence = share(len(output), len(source)), is_subsequence(output, source)
        if PUNKT:
            yield ("items", at, "n_sentences_punkt"), len(nltk.sent_tokenize(output))
        split = item["n_sentences_punkt"] > 1
        shorter = "Deletions" if ratio < 0.5 or subsequence else "Paraphrases"
        rule = "Splittings" if split else shorter
        yield ("items", at), {
            "char_ratio": ratio, "delete_only": subsequence, "baseline_paper_rule": rule,
            "baseline_excl_copies": "Paraphrases" if words(output) == words(source) and not split else rule}


MAKERS = {
    "text_sentence.json": sentences,
    "text_corpus.json": corpora,
    "self_bleu.json": diversity,
    "bleu_options.json": bleu_options,
    "categorize.json": categories,
}
