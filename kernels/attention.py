"""Flash attention, forward. Scores stay in PSUM, a running maximum and sum replace the full softmax."""
#@gallery order=120 group="Transformer blocks"

import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

sequence = 1024    #@param {type:"slider", min:512, max:2048, step:512}
head = 128         #@param [64, 128]
precision = "bf16" #@param ["fp32", "bf16"]

P, BLOCK = 128, 512


@nki.jit
def attention(q_t, k_t, v):
    """q_t and k_t are [head, sequence], v is [sequence, head]; gives [sequence, head]."""
    head, sequence = q_t.shape
    scale = 1.0 / head**0.5
    out = nl.ndarray((sequence, head), dtype=v.dtype, buffer=nl.shared_hbm)

    q = nl.ndarray((head, sequence), dtype=q_t.dtype, buffer=nl.sbuf)
    k = nl.ndarray((head, sequence), dtype=k_t.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=q, src=q_t)
    nisa.dma_copy(dst=k, src=k_t)
    v_tiles = []
    for j in range(sequence // P):
        tile = nl.ndarray((P, head), dtype=v.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=v[nl.ds(j * P, P), :])
        v_tiles.append(tile)

    for i in range(sequence // P):
        # State of the running softmax for 128 queries: minus the maximum, the sum, and the weighted values.
        minus_max = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        total = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        weighted = nl.ndarray((P, head), dtype=nl.float32, buffer=nl.sbuf)
        for j in range(sequence // BLOCK):
            scores = nl.ndarray((P, BLOCK), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=scores, stationary=q[:, nl.ds(i * P, P)], moving=k[:, nl.ds(j * BLOCK, BLOCK)])
            block_max = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_reduce(dst=block_max, op=nl.maximum, data=scores, axis=1, negate=True)
            new_max = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
            if j == 0:
                nisa.tensor_scalar(dst=new_max, data=block_max, op0=nl.multiply, operand0=scale)
            else:
                # Both are negated, so the larger maximum is the smaller number.
                nisa.tensor_scalar(
                    dst=new_max, data=block_max, op0=nl.multiply, operand0=scale, op1=nl.minimum, operand1=minus_max
                )
            # exp(scale * score - max) and its row sum in one instruction, straight from PSUM.
            probabilities = nl.ndarray((P, BLOCK), dtype=v.dtype, buffer=nl.sbuf)
            block_total = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.activation_reduce(
                dst=probabilities,
                op=nl.exp,
                data=scores,
                reduce_op=nl.add,
                reduce_res=block_total,
                bias=new_max,
                scale=scale,
            )
            values = attend(probabilities, v_tiles, j, head)
            if j == 0:
                nisa.tensor_copy(dst=total, src=block_total)
                nisa.tensor_copy(dst=weighted, src=values)
            else:
                # What was gathered so far shrinks by exp(old max - new max).
                shrink = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
                nisa.activation(dst=shrink, op=nl.exp, data=minus_max, bias=new_max, scale=-1.0)
                nisa.scalar_tensor_tensor(
                    dst=total, data=total, op0=nl.multiply, operand0=shrink, op1=nl.add, operand1=block_total
                )
                nisa.scalar_tensor_tensor(
                    dst=weighted, data=weighted, op0=nl.multiply, operand0=shrink, op1=nl.add, operand1=values
                )
            nisa.tensor_copy(dst=minus_max, src=new_max)
        inverse = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.reciprocal(dst=inverse, data=total)
        result = nl.ndarray((P, head), dtype=v.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=result, data=weighted, op0=nl.multiply, operand0=inverse)
        nisa.dma_copy(dst=out[nl.ds(i * P, P), :], src=result)
    return out


def attend(probabilities, v_tiles, j, head):
    """probabilities [128 queries, BLOCK keys] times the values of those keys, in PSUM."""
    values = nl.ndarray((P, head), dtype=nl.float32, buffer=nl.psum)
    for c in range(BLOCK // P):
        # The keys must be on partitions to be contracted: the Tensor Engine transposes 128 of them at a time.
        turned = nl.ndarray((P, P), dtype=probabilities.dtype, buffer=nl.psum)
        nisa.nc_transpose(dst=turned, data=probabilities[:, nl.ds(c * P, P)])
        stationary = nl.ndarray((P, P), dtype=probabilities.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=stationary, src=turned)
        nisa.nc_matmul(dst=values, stationary=stationary, moving=v_tiles[j * (BLOCK // P) + c])
    return values


dtype = {"fp32": nl.float32, "bf16": nl.bfloat16}[precision]
rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((sequence, head)).astype(np.float32) for _ in range(3))

out = attention(q.T.astype(dtype), k.T.astype(dtype), v.astype(dtype)).astype(np.float32)

scores = q @ k.T / np.sqrt(head)
exps = np.exp(scores - scores.max(axis=1, keepdims=True))
reference = exps / exps.sum(axis=1, keepdims=True) @ v
error = np.linalg.norm(out - reference) / np.linalg.norm(reference)
# BF16 rounds q, k, v, the probabilities and the result to 8 significant bits; together about 4e-3.
tolerance = {"fp32": 2e-6, "bf16": 1e-2}[precision]
assert error <= tolerance, f"relative error {error:.2e} is above {tolerance:.1e}"
print(f"relative error against FP32 NumPy: {error:.2e} (allowed {tolerance:.1e})")
