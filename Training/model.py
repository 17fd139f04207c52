"""The Gemma 3 text architecture in PyTorch, small enough for a bedtime-story model.

Per layer, with h the residual stream:

    a = norm(h, attn_norm);  q, k = rope(norm(Wq a)), rope(norm(Wk a));  v = Wv a
    h = h + norm(Wo attention(q / sqrt(head), k, v), post_attention_norm)
    h = h + norm(Wdown(gelu_tanh(Wgate f) * Wup f), post_ffw_norm)    with f = norm(h, ffn_norm)

Every sixth layer attends globally (RoPE base 1e6), the others within a window (base 1e4). The input embedding is
scaled by sqrt(width); the output matrix is the same embedding, unscaled. Norm gains start at 1 and are the numbers a
GGUF file holds (Hugging Face files hold gain - 1).
"""

import math
from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    """Shape of the model. Row lengths of all matrices must be multiples of 32, the block of Q8_0."""

    vocab: int = 8192
    width: int = 256
    layers: int = 6
    heads: int = 4
    kv_heads: int = 1
    head: int = 64
    hidden: int = 768
    window: int = 1024
    period: int = 6
    context: int = 2048
    eps: float = 1e-6
    base_local: float = 1e4
    base_global: float = 1e6

    def is_local(self, layer: int) -> bool:
        return (layer + 1) % self.period != 0

    def dict(self):
        return asdict(self)


def linear(rows_in, rows_out, std):
    m = nn.Linear(rows_in, rows_out, bias=False)
    nn.init.normal_(m.weight, std=std)
    return m


class Norm(nn.Module):
    """RMS norm with a gain, always in float32."""

    def __init__(self, width, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        return F.rms_norm(x.float(), self.weight.shape, self.weight, self.eps)


def rope_table(length, head, base):
    """cos and sin of shape [length, head / 2]; float64 until the end, since angles reach the length itself."""
    freq = base ** (-torch.arange(0, head, 2, dtype=torch.float64) / head)
    angle = torch.arange(length, dtype=torch.float64)[:, None] * freq
    return torch.stack([angle.cos(), angle.sin()]).float()


def rotate(x, table):
    """RoPE with half-split pairs (i, i + n/2). x: [batch, heads, time, head]."""
    u, v = x.chunk(2, -1)
    cos, sin = table[0], table[1]
    return torch.cat([u * cos - v * sin, v * cos + u * sin], -1)


class Layer(nn.Module):
    def __init__(self, c: Config, index: int):
        super().__init__()
        self.c, self.local = c, c.is_local(index)
        std = c.width**-0.5
        self.attn_q = linear(c.width, c.heads * c.head, std)
        self.attn_k = linear(c.width, c.kv_heads * c.head, std)
        self.attn_v = linear(c.width, c.kv_heads * c.head, std)
        self.attn_output = linear(c.heads * c.head, c.width, (c.heads * c.head) ** -0.5)
        self.attn_q_norm, self.attn_k_norm = Norm(c.head, c.eps), Norm(c.head, c.eps)
        self.attn_norm, self.post_attention_norm = Norm(c.width, c.eps), Norm(c.width, c.eps)
        self.ffn_norm, self.post_ffw_norm = Norm(c.width, c.eps), Norm(c.width, c.eps)
        self.ffn_gate, self.ffn_up = linear(c.width, c.hidden, std), linear(c.width, c.hidden, std)
        self.ffn_down = linear(c.hidden, c.width, c.hidden**-0.5)

    def forward(self, h, table, mask, cache=None):
        c = self.c
        b, t, _ = h.shape
        a = self.attn_norm(h)
        q = self.attn_q(a).view(b, t, c.heads, c.head).transpose(1, 2)
        k = self.attn_k(a).view(b, t, c.kv_heads, c.head).transpose(1, 2)
        v = self.attn_v(a).view(b, t, c.kv_heads, c.head).transpose(1, 2)
        q, k = rotate(self.attn_q_norm(q), table), rotate(self.attn_k_norm(k), table)
        if cache is not None:
            if cache:
                k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
            cache[:] = [k, v]
        k, v = (x.expand(b, c.heads, -1, -1) if c.kv_heads == 1 else x.repeat_interleave(c.heads // c.kv_heads, 1)
                for x in (k, v))
        if mask is None:
            o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            o = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        o = self.attn_output(o.transpose(1, 2).reshape(b, t, -1))
        h = h + self.post_attention_norm(o)
        f = self.ffn_norm(h)
        f = self.ffn_down(F.gelu(self.ffn_gate(f), approximate="tanh") * self.ffn_up(f))
        return h + self.post_ffw_norm(f)


class Gemma3(nn.Module):
    def __init__(self, c: Config):
        super().__init__()
        self.c = c
        self.token_embd = nn.Embedding(c.vocab, c.width)
        # Both ends of the tied matrix like this size: inputs come out at unit variance, first logits stay near 1.
        nn.init.normal_(self.token_embd.weight, std=c.width**-0.5)
        self.blk = nn.ModuleList(Layer(c, i) for i in range(c.layers))
        self.output_norm = Norm(c.width, c.eps)
        for name, base in (("rope_local", c.base_local), ("rope_global", c.base_global)):
            self.register_buffer(name, rope_table(c.context, c.head, base), persistent=False)

    def hidden(self, ids, caches=None, start=0):
        """The normed final residual stream. With `caches` (a list per layer) `ids` continue at position `start`."""
        c, t = self.c, ids.shape[1]
        query = torch.arange(start, start + t)
        distance = query[:, None] - torch.arange(start + t)
        causal = distance >= 0
        # A window of W sees W positions, the query's own counted. Short rows need no mask beyond the causal one.
        masks = {True: causal & (distance < c.window), False: causal}
        if start == 0:
            masks[False] = None
            if t <= c.window:
                masks[True] = None
        h = self.token_embd(ids) * math.sqrt(c.width)
        for i, layer in enumerate(self.blk):
            table = self.rope_local if layer.local else self.rope_global
            h = layer(h, table[:, start : start + t], masks[layer.local], None if caches is None else caches[i])
        return self.output_norm(h)

    def logits(self, hidden):
        return F.linear(hidden, self.token_embd.weight)

    def forward(self, ids):
        return self.logits(self.hidden(ids))

    def loss(self, ids, answer):
        """Mean cross-entropy of the tokens for which `answer` (same shape as ids) is true.

        Only their positions go through the output matrix, a fifth of the model's arithmetic."""
        h = self.hidden(ids[:, :-1])
        keep = answer[:, 1:]
        return F.cross_entropy(self.logits(h[keep]).float(), ids[:, 1:][keep])


def parameters(c: Config) -> int:
    return sum(p.numel() for p in Gemma3(c).parameters())
