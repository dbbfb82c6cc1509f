# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

"""The models that export.py turns into test/Models/*.mlir.

A model is a plain function of tensors: data first, then weights, each a
parameter of its own, so that a strategy can give every one a layout. Weights
are stored [in, out] and applied as `x @ w`: the usual tensor parallelism cuts
dim 1 of the first weight of a pair (columns) and dim 0 of the second (rows).

Shapes below: B batch, S sequence, H hidden, N query heads, K key/value heads,
D head dim, F width of the MLP.
"""

import dataclasses
import math
from typing import Callable, Dict, List, Tuple

import torch
import torch.nn.functional as F

SEQ, HIDDEN, HEADS, KV_HEADS, HEAD_DIM = 16, 64, 8, 4, 8


def f32(value: float) -> float:
    """The float32 nearest to `value`.

    Scalars reach linalg as f64 constants that each loop body truncates. The
    truncation folds away only where it is exact.
    """
    return torch.tensor(value, dtype=torch.float32).item()


EPS = f32(1e-5)


# Layers.


def layer_norm(x, weight, bias):
    """Spelled out: F.layer_norm reaches linalg with its variance in f64."""
    centered = x - x.mean(-1, keepdim=True)
    variance = (centered * centered).mean(-1, keepdim=True)
    return centered * torch.rsqrt(variance + EPS) * weight + bias


def gelu_tanh(x):
    """Spelled out: torch-mlir lowers F.gelu's tanh form with 0.797724 where
    sqrt(2/pi) is 0.797885, and with an integer power."""
    inner = f32(math.sqrt(2 / math.pi)) * (x + f32(0.044715) * x * x * x)
    return 0.5 * x * (1.0 + torch.tanh(inner))


def split_heads(x, heads):
    """[B, S, heads * D] to [B, heads, S, D]."""
    batch, seq, width = x.shape
    return x.view(batch, seq, heads, width // heads).transpose(1, 2)


def merge_heads(x):
    """[B, N, S, D] to [B, S, N * D]."""
    batch, heads, seq, dim = x.shape
    return x.transpose(1, 2).reshape(batch, seq, heads * dim)


def causal_attention(q, k, v):
    """softmax(q k^T / sqrt(D)) v over the keys up to each query; all operands
    [B, N, S, D]. The mask is computed from positions: a cut of the sequence
    shifts an index instead of slicing a constant."""
    seq, dim = q.shape[2:]
    scores = torch.matmul(q, k.transpose(2, 3)) * f32(1 / math.sqrt(dim))
    position = torch.arange(seq)
    future = position.unsqueeze(0) > position.unsqueeze(1)
    weights = torch.softmax(scores.masked_fill(future, -math.inf), dim=-1)
    return torch.matmul(weights, v)


def rotate(x, cos, sin):
    """Rotary embedding of x [B, heads, S, D] by angles [S, D]; the pair of
    element i is element i + D/2. Only D is sliced, which no strategy cuts."""
    low, high = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-high, low), dim=-1) * sin


# Models.


def mlp(x, w1, b1, w2, b2, w3, b3):
    """Three dense layers with ReLU: small integers give exact results."""
    hidden = torch.relu(x @ w1 + b1)
    hidden = torch.relu(hidden @ w2 + b2)
    return hidden @ w3 + b3


def gpt_block(x, ln1_weight, ln1_bias, wq, bq, wk, bk, wv, bv, wo, bo,
              ln2_weight, ln2_bias, w_up, b_up, w_down, b_down):
    """A pre-norm transformer block as in GPT-2."""
    y = layer_norm(x, ln1_weight, ln1_bias)
    q = split_heads(y @ wq + bq, HEADS)
    k = split_heads(y @ wk + bk, HEADS)
    v = split_heads(y @ wv + bv, HEADS)
    x = x + (merge_heads(causal_attention(q, k, v)) @ wo + bo)
    y = layer_norm(x, ln2_weight, ln2_bias)
    return x + (gelu_tanh(y @ w_up + b_up) @ w_down + b_down)


def llama_block(x, cos, sin, attn_norm, wq, wk, wv, wo, mlp_norm, w_gate,
                w_up, w_down):
    """A transformer block as in Llama: RMS norm, rotary embedding, each
    key/value head serving a group of query heads, SwiGLU, no biases."""
    y = F.rms_norm(x, (HIDDEN,), attn_norm, EPS)
    q = rotate(split_heads(y @ wq, HEADS), cos, sin)
    k = rotate(split_heads(y @ wk, KV_HEADS), cos, sin)
    v = split_heads(y @ wv, KV_HEADS)
    group = HEADS // KV_HEADS
    k = k.repeat_interleave(group, dim=1)
    v = v.repeat_interleave(group, dim=1)
    x = x + merge_heads(causal_attention(q, k, v)) @ wo
    y = F.rms_norm(x, (HIDDEN,), mlp_norm, EPS)
    return x + (F.silu(y @ w_gate) * (y @ w_up)) @ w_down


# Arguments: what each is called, its shape, and how to draw a value for it.

Shape = Tuple[int, ...]
Init = Callable[[Shape, torch.Generator], torch.Tensor]


@dataclasses.dataclass(frozen=True)
class Argument:
    name: str
    shape: Shape
    init: Init


def normal(shape, generator):
    return torch.randn(shape, generator=generator)


def fan_in(shape, generator):
    return normal(shape, generator) / math.sqrt(shape[0])


def small(shape, generator):
    return 0.1 * normal(shape, generator)


def near_one(shape, generator):
    return 1 + small(shape, generator)


def angles(shape):
    seq, dim = shape
    frequency = 10000.0 ** (-torch.arange(0, dim, 2) / dim)
    half = torch.arange(seq).unsqueeze(1) * frequency
    return torch.cat((half, half), dim=-1)


def cosine(shape, generator):
    return torch.cos(angles(shape))


def sine(shape, generator):
    return torch.sin(angles(shape))


def mlp_arguments(batch: int) -> List[Argument]:
    widths = [32, 128, 128, 16]
    arguments = [Argument("x", (batch, widths[0]), normal)]
    for i, (n_in, n_out) in enumerate(zip(widths, widths[1:]), start=1):
        arguments += [Argument(f"w{i}", (n_in, n_out), fan_in),
                      Argument(f"b{i}", (n_out,), small)]
    return arguments


def gpt_block_arguments(batch: int) -> List[Argument]:
    h, f = HIDDEN, 4 * HIDDEN
    return [
        Argument("x", (batch, SEQ, h), normal),
        Argument("ln1_weight", (h,), near_one),
        Argument("ln1_bias", (h,), small),
        Argument("wq", (h, h), fan_in),
        Argument("bq", (h,), small),
        Argument("wk", (h, h), fan_in),
        Argument("bk", (h,), small),
        Argument("wv", (h, h), fan_in),
        Argument("bv", (h,), small),
        Argument("wo", (h, h), fan_in),
        Argument("bo", (h,), small),
        Argument("ln2_weight", (h,), near_one),
        Argument("ln2_bias", (h,), small),
        Argument("w_up", (h, f), fan_in),
        Argument("b_up", (f,), small),
        Argument("w_down", (f, h), fan_in),
        Argument("b_down", (h,), small),
    ]


def llama_block_arguments(batch: int) -> List[Argument]:
    h, kv, f = HIDDEN, KV_HEADS * HEAD_DIM, 3 * HIDDEN
    return [
        Argument("x", (batch, SEQ, h), normal),
        Argument("cos", (SEQ, HEAD_DIM), cosine),
        Argument("sin", (SEQ, HEAD_DIM), sine),
        Argument("attn_norm", (h,), near_one),
        Argument("wq", (h, h), fan_in),
        Argument("wk", (h, kv), fan_in),
        Argument("wv", (h, kv), fan_in),
        Argument("wo", (h, h), fan_in),
        Argument("mlp_norm", (h,), near_one),
        Argument("w_gate", (h, f), fan_in),
        Argument("w_up", (h, f), fan_in),
        Argument("w_down", (f, h), fan_in),
    ]


@dataclasses.dataclass(frozen=True)
class Model:
    forward: Callable[..., torch.Tensor]
    arguments: Callable[[int], List[Argument]]


MODELS: Dict[str, Model] = {
    "mlp": Model(mlp, mlp_arguments),
    "gpt-block": Model(gpt_block, gpt_block_arguments),
    "llama-block": Model(llama_block, llama_block_arguments),
}
