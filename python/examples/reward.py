"""A training loop in small, with the learned metric as its reward.

    python examples/reward.py

A policy chooses one of several ways to simplify a text. It is trained by policy gradients whose advantage is a
reward less the mean of its group, as GRPO does, and learns which ways people would like. A language model takes the
policy's place in earnest, and the reward stays as it is:

    trainer = GRPOTrainer(model=…, reward_funcs=rankrate.Reward("learned-free"), train_dataset=…)

where the dataset has the columns ``prompt`` and ``source``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import rankrate

# Each source with what a policy may write.
TEXTS = {
    "The vessel foundered off the coast after striking a submerged reef.": [
        "The ship sank near the coast after it hit a reef.",
        "The vessel foundered off the coast after striking a submerged reef.",
        "Ship coast reef.",
        "The vessel.",
    ],
    "The committee rescinded the ordinance owing to vociferous opposition.": [
        "The committee took back the rule because many people were against it.",
        "The committee rescinded the ordinance owing to vociferous opposition.",
        "Rule opposition committee.",
        "The ordinance was.",
    ],
}
STEPS = 30
GROUP = 8
LEARNING_RATE = 0.3


def main() -> list[float]:
    """Train the policy, and return the mean reward of each step."""
    random = np.random.default_rng(seed=1)
    reward = rankrate.Reward("learned-free")
    preferences = {source: np.zeros(len(candidates)) for source, candidates in TEXTS.items()}
    means: list[float] = []
    for step in range(STEPS):
        sources: list[str] = []
        chosen: list[int] = []
        for source, logits in preferences.items():
            chosen += random.choice(len(logits), size=GROUP, p=_softmax(logits)).tolist()
            sources += [source] * GROUP
        completions = [TEXTS[source][choice] for source, choice in zip(sources, chosen, strict=True)]
        # As a trainer calls it: all completions of the batch, and the columns of the dataset beside them.
        rewards = np.array(reward(prompts=sources, completions=completions, source=sources))
        groups = rewards.reshape(len(TEXTS), GROUP)
        advantages = (groups - groups.mean(axis=1, keepdims=True)) / (groups.std(axis=1, keepdims=True) + 1e-6)
        for source, choice, advantage in zip(sources, chosen, advantages.ravel(), strict=True):
            gradient = -_softmax(preferences[source])
            gradient[choice] += 1
            preferences[source] += LEARNING_RATE * advantage * gradient / GROUP
        means.append(float(rewards.mean()))
        if step % 5 == 0 or step == STEPS - 1:
            print(f"step {step:2}: mean reward {means[-1]:.3f}")
    for source, logits in preferences.items():
        print(f"{source}\n  → {TEXTS[source][int(np.argmax(logits))]}")
    return means


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = np.exp(logits - logits.max())
    return shares / float(shares.sum())


if __name__ == "__main__":
    main()
