#!/usr/bin/env python3
"""Compares the encoder with transformers: every layer, and the speed.

    source scripts/tools.sh && rust && runtime && encoder
    pip install torch transformers safetensors        # in an environment of your own
    python3 scripts/check-encoder.py --speed

Nothing of the project depends on this. It builds crates/learn/examples/encode.rs, and beside the
default model checks small ones with random weights: RoBERTa with a byte-level tokenizer, XLM-R with a
unigram one, BERT in half precision, and BERT with its old names of tensors behind a prefix.
"""

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoModel, BertConfig, BertModel, RobertaConfig, RobertaModel, XLMRobertaConfig, XLMRobertaModel

CHECKOUT = Path(__file__).resolve().parent.parent
TOOLS = Path(os.environ.get("RANKRATE_TOOLS", CHECKOUT / ".tools"))
LIBRARY = "libonnxruntime.dylib" if platform.system() == "Darwin" else "libonnxruntime.so"
RUNTIME = os.environ.get("RANKRATE_RUNTIME", TOOLS / "runtime" / LIBRARY)
ENCODER = Path(os.environ.get("RANKRATE_ENCODER", TOOLS / "encoder"))
TOLERANCE = 1e-4
# At least this much faster than PyTorch, on the same threads.
FASTER = 1.5

TEXTS = [
    "Unhurriedly , the glassblower cooled her vase .".split(),
    "The ferry that had been expected since dawn was , according to the harbour master , still moored at Ystad because of fog .".split(),
    "Nobody 's umbrella survived the gale ; mine flew off first .".split(),
    "In 1843 , 2,417 copies ( a third of the print run ) were pulped .".split(),
    "Ça coûte 12,50 € , naïvement , à Zürich 🙂 👩‍🔬 שלום مرحبا 你好 e\u0301".split(),
    ["One"],
    [],
    ["", "between", "", "empty", "words", ""],
    ["antidisestablishmentarianism", "u.s.", "can", "n't", "co-operate", "[SEP]", "</s>"],
]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--speed", action="store_true", help="measure sentences a second, too")
    options.add_argument("--program", help="an encode program built already; else it is built for release")
    options = options.parse_args()
    program = options.program or build()
    good = check("default", ENCODER, program)
    for name, make in SMALL.items():
        with tempfile.TemporaryDirectory() as folder:
            torch.manual_seed(1)
            make(Path(folder))
            good &= check(name, Path(folder), program)
    if options.speed:
        good &= speed(program)
    sys.exit(0 if good else 1)


def build():
    command = ["cargo", "build", "--release", "-p", "learn", "--example", "encode", "--message-format=json"]
    built = subprocess.run(command, cwd=CHECKOUT, check=True, stdout=subprocess.PIPE).stdout
    programs = [json.loads(line).get("executable") for line in built.splitlines()]
    return [program for program in programs if program][-1]


class Ours:
    """The example program, with one model loaded."""

    def __init__(self, program, folder, threads, **environment):
        self.process = subprocess.Popen(
            [program, str(folder), str(RUNTIME), str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment},
        )

    def encode(self, texts):
        self.process.stdin.write(json.dumps(texts) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline() or "null")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Reference:
    """transformers, with word vectors as the mean of their pieces'."""

    def __init__(self, folder):
        self.model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
        written = json.loads((folder / "tokenizer.json").read_text())
        spaced(written["pre_tokenizer"])
        self.tokenizer = Tokenizer.from_str(json.dumps(written))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.tokenizer.encode_special_tokens = True
        self.padding = self.model.config.pad_token_id

    def encode(self, texts):
        pieces, hidden = self.hidden(texts)
        return [[self.words(layer[row], it.word_ids, len(texts[row])) for layer in hidden]
                for row, it in enumerate(pieces)]

    @torch.no_grad()
    def hidden(self, texts):
        pieces = self.tokenizer.encode_batch([list(words) for words in texts], is_pretokenized=True)
        length = max(len(it.ids) for it in pieces)
        filled = lambda values, filler: values + [filler] * (length - len(values))
        ids = torch.tensor([filled(it.ids, self.padding) for it in pieces])
        mask = torch.tensor([filled([1] * len(it.ids), 0) for it in pieces])
        return pieces, self.model(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states

    @staticmethod
    def words(vectors, word_ids, words):
        sums, counts = torch.zeros(words, vectors.shape[1]), torch.zeros(words, 1)
        places = [place for place, word in enumerate(word_ids) if word is not None]
        owners = torch.tensor([word_ids[place] for place in places], dtype=torch.long)
        sums.index_add_(0, owners, vectors[places])
        counts.index_add_(0, owners, torch.ones(len(places), 1))
        return sums / counts.clamp(min=1)


def spaced(step):
    """A byte-level tokenizer treats each word as one after a space."""
    if step and step["type"] == "ByteLevel":
        step["add_prefix_space"] = True


def check(name, folder, program):
    """Prints the largest difference between both, over all layers of all texts and of a long one."""
    ours, reference = Ours(program, folder, threads=1), Reference(folder)
    found, expect = ours.encode(TEXTS), reference.encode(TEXTS)
    worst = [max((differ(ours_text[layer], text[layer]) for ours_text, text in zip(found, expect)), default=0)
             for layer in range(len(expect[0]))]
    long = [word for text in TEXTS for word in text] * 20
    beginning = beginning_of(long, ours, reference)
    ours.close()
    print(f"{name}: largest difference {max(worst):.1e} (by layer: {', '.join(f'{it:.0e}' for it in worst)}); "
          f"in the first window of {len(long)} words {beginning:.1e}")
    return max(worst) < TOLERANCE and beginning < TOLERANCE


@torch.no_grad()
def beginning_of(words, ours, reference):
    """The largest difference over a long text's words in the first half of the first window; the
    reference gets that window's pieces, ended by the special one."""
    pieces = reference.tokenizer.encode(words, is_pretokenized=True)
    cut = min(limit(reference.model.config), 512) - 1
    ids = torch.tensor([pieces.ids[:cut] + pieces.ids[-1:]])
    hidden = reference.model(input_ids=ids, output_hidden_states=True).hidden_states
    half = sorted({word for word in pieces.word_ids[: cut // 2] if word is not None})[:-1]
    expect = [reference.words(layer[0], pieces.word_ids[:cut], len(words))[half] for layer in hidden]
    found = ours.encode([words])[0]
    return max(differ([layer[word] for word in half], it) for layer, it in zip(found, expect))


def limit(config):
    return config.max_position_embeddings - (config.pad_token_id + 1 if "roberta" in config.model_type else 0)


def differ(ours, reference):
    return (torch.tensor(ours).reshape(reference.shape) - reference).abs().max().item() if reference.numel() else 0.0


def speed(program, sentences=32, words=26, threads=2, rounds=10):
    """Prints sentences a second and CPU time of both in turns, tokenisation included; PyTorch is
    spared the means of word pieces."""
    torch.set_num_threads(threads)
    vocabulary = sorted({word for text in TEXTS[:4] for word in text if word.isalpha()})
    dice = random.Random(5)
    batch = lambda: [[dice.choice(vocabulary) for _ in range(words)] for _ in range(sentences)]
    ours, reference = Ours(program, ENCODER, threads, QUIET="1"), Reference(ENCODER)
    turns = {"ours": (ours.encode, ours.process.pid), "PyTorch": (reference.hidden, os.getpid())}
    rates, cpu = {name: [] for name in turns}, {name: 0.0 for name in turns}
    for round in range(rounds + 1):
        texts = batch()
        for name, (encode, process) in turns.items():
            cpu_before, start = cpu_seconds(process), time.perf_counter()
            encode(texts)
            if round > 0:  # the first is for warming up
                rates[name].append(sentences / (time.perf_counter() - start))
                cpu[name] += cpu_seconds(process) - cpu_before
    memory = next(line for line in Path(f"/proc/{ours.process.pid}/status").read_text().splitlines() if "VmHWM" in line)
    ours.close()
    middle = {name: statistics.median(of) for name, of in rates.items()}
    for name in turns:
        print(f"{name}: {middle[name]:.0f} sentences/s (best {max(rates[name]):.0f}), "
              f"{1000 * cpu[name] / rounds / sentences:.1f} ms of CPU a sentence")
    ratio = middle["ours"] / middle["PyTorch"]
    print(f"{sentences} sentences of {words} words, medians of {rounds}, {threads} threads: "
          f"{ratio:.2f} times as fast; ours took {int(memory.split()[1]) // 1024} MiB at most")
    return ratio >= FASTER


def cpu_seconds(process):
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


SIZES = dict(hidden_size=48, num_hidden_layers=3, num_attention_heads=4, intermediate_size=96, initializer_range=0.3)


def small_roberta(folder):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    train(tokenizer, trainers.BpeTrainer(vocab_size=400, special_tokens=special,
                                         initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    config = RobertaConfig(vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=514, type_vocab_size=1,
                           layer_norm_eps=1e-5, pad_token_id=1, **SIZES)
    save(folder, RobertaModel(config), tokenizer)


def small_xlm_roberta(folder):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    train(tokenizer, trainers.UnigramTrainer(vocab_size=150, special_tokens=special, unk_token="<unk>"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    config = XLMRobertaConfig(vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=130, type_vocab_size=1,
                              layer_norm_eps=1e-5, pad_token_id=1, hidden_act="gelu_new", **SIZES)
    save(folder, XLMRobertaModel(config).half(), tokenizer)


def small_bert(folder, kind=torch.float32):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    train(tokenizer, trainers.WordPieceTrainer(vocab_size=200, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    config = BertConfig(vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=64, **SIZES)
    save(folder, BertModel(config).to(kind), tokenizer)


def small_bert_half(folder):
    small_bert(folder, torch.float16)


def small_bert_brain(folder):
    small_bert(folder, torch.bfloat16)


def small_bert_old_names(folder):
    small_bert(folder)
    path = folder / "model.safetensors"
    old = lambda name: "bert." + name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
    save_file({old(name): tensor for name, tensor in load_file(path).items()}, path, {"format": "pt"})


def train(tokenizer, trainer):
    trainer.show_progress = False
    tokenizer.train_from_iterator([" ".join(text) for text in TEXTS], trainer)


def save(folder, model, tokenizer):
    for parameter in model.parameters():
        # Normalisations start as ones and zeros, so that swapped ones would not be noticed.
        parameter.data += 0.1 * torch.randn(parameter.shape).to(parameter.dtype)
    model.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))


SMALL = {
    "small RoBERTa": small_roberta,
    "small XLM-R in half precision": small_xlm_roberta,
    "small BERT in half precision": small_bert_half,
    "small BERT in brain floats": small_bert_brain,
    "small BERT with old names": small_bert_old_names,
}

if __name__ == "__main__":
    main()
