#!/usr/bin/env python3
"""Turns a PyTorch model into a file that a StressTest can name: TorchScript (.pt) or AOTInductor (.pt2).

    python3 docs/export_model.py torchvision.models:resnet18 model.pt --input 3,224,224
    python3 docs/export_model.py my_module:build model.pt2 --weights trained.pth --input 12 --input 6:INT64:100

The first argument names a function without arguments that returns the model (module:function). Each
--input is what the StressTest's `inputs` will say: SHAPE[:TYPE[:BELOW]], without the batch. A .pt2 is
compiled for the machine that it is made on, or with --device cuda for its GPU. Needs torch 2.11, the
version that the runner reads with: pip install torch==2.11.0
"""
import argparse
import importlib
import sys

import torch
import torch.fx.experimental._config

TYPES = {"FP32": torch.float32, "INT64": torch.int64, "INT32": torch.int32}


def sample(text, batch):
    """A random tensor as --input describes it."""
    shape, kind, below = (text.split(":") + ["FP32", "2"][text.count(":"):])[:3]
    sizes = [batch] + [int(size) for size in shape.split(",") if size]
    if kind == "FP32":
        return torch.randn(sizes)
    return torch.randint(int(below), sizes, dtype=TYPES[kind])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="module:function that returns the model")
    parser.add_argument("out", help="a name that ends in .pt or .pt2")
    parser.add_argument("--input", action="append", required=True, help="SHAPE[:TYPE[:BELOW]]")
    parser.add_argument("--weights", help="a .pth with the state_dict")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"], help="for .pt2")
    arguments = parser.parse_args()

    sys.path.insert(0, "")  # modules of the present folder
    module, _, function = arguments.model.partition(":")
    model = getattr(importlib.import_module(module), function)().eval()
    if arguments.weights:
        model.load_state_dict(torch.load(arguments.weights, weights_only=True))
    # Two samples: a batch of one is taken for a constant.
    inputs = tuple(sample(text, batch=2) for text in arguments.input)

    if arguments.out.endswith(".pt2"):
        model, inputs = model.to(arguments.device), tuple(i.to(arguments.device) for i in inputs)
        torch.fx.experimental._config.backed_size_oblivious = True  # a batch of one is as good as any
        batch = torch.export.Dim("batch", min=1, max=65536)
        program = torch.export.export(model, inputs, dynamic_shapes=tuple({0: batch} for _ in inputs))
        torch._inductor.aoti_compile_and_package(program, package_path=arguments.out)
    elif arguments.out.endswith(".pt"):
        with torch.no_grad():
            torch.jit.trace(model, inputs).save(arguments.out)
    else:
        parser.error("the file's name must end in .pt or .pt2")
    print(f"{arguments.out}: written by torch {torch.__version__}")


if __name__ == "__main__":
    main()
