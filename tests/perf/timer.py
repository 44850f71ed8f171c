"""The forward pass that mode Benchmark is compared with, timed by torch.utils.benchmark. Prints the median
of its blocks in seconds.

    timer.py '{"model": "ConvNet", "batch": 32, "seconds": 5}'      or "ResNet18", which is torchvision's
"""
import json
import sys

import torch
from torch import nn
from torch.utils import benchmark


def conv_net():
    return nn.Sequential(nn.Conv2d(3, 64, 7, stride=2, padding=3), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(64, 1000))


def resnet18():
    import torchvision  # only where it is needed: it takes seconds to load
    return torchvision.models.resnet18()


def main():
    want = json.loads(sys.argv[1])
    torch.manual_seed(0)
    model = {"ConvNet": conv_net, "ResNet18": resnet18}[want["model"]]().eval()
    batch = torch.randn(want["batch"], 3, 224, 224)
    with torch.inference_mode():
        timer = benchmark.Timer("model(batch)", globals={"model": model, "batch": batch}, num_threads=1)
        print(timer.blocked_autorange(min_run_time=want["seconds"]).median)


if __name__ == "__main__":
    main()
