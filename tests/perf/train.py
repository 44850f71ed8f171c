"""The PyTorch script that our training soak is compared with: same model, data, optimizer and loss, one
step after another, in the words in which people write it. Prints the samples a second of its measured time.

    train.py '{"inputs": 784, "hidden": 1024, "outputs": 10, "batch": 128, "seconds": 3, "fused": false}'
"""
import json
import sys
import time

import torch
from torch import nn


def main():
    want = json.loads(sys.argv[1])
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(want["inputs"], want["hidden"]), nn.ReLU(), nn.Dropout(0.5),
        nn.Linear(want["hidden"], want["outputs"]))
    samples = torch.randn(10_000, want["inputs"])
    labels = torch.randint(want["outputs"], (10_000,))
    loss_of = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=want["fused"])
    batch = want["batch"]

    def step(order, first):
        chosen = order[first:first + batch]
        loss = loss_of(model(samples[chosen]), labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    def steps(seconds):
        done, started = 0, time.perf_counter()
        while True:
            order = torch.randperm(len(samples))
            for first in range(0, len(samples) - batch + 1, batch):
                step(order, first)
                done += batch
                if time.perf_counter() - started >= seconds:
                    return done / (time.perf_counter() - started)

    steps(want["seconds"] / 6)  # warm-up
    print(steps(want["seconds"]))


main()
