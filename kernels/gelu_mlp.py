"""GELU MLP. Two chained matmuls: the hidden layer is produced transposed, so it never needs a transpose."""
#@gallery order=110 group="Transformer blocks"

import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

tokens = 512       #@param {type:"slider", min:512, max:1024, step:512}
width = 512        #@param {type:"slider", min:128, max:1024, step:128}
hidden = 1024      #@param {type:"slider", min:256, max:2048, step:256}
precision = "bf16" #@param ["fp32", "bf16"]

P, TILE_N = 128, 512


@nki.jit
def gelu_mlp(x_t, w_up, w_down):
    """x_t [width, tokens], w_up [width, hidden], w_down [hidden, width]; gives [width, tokens]."""
    width, tokens = x_t.shape
    hidden = w_up.shape[1]
    out = nl.ndarray((width, tokens), dtype=x_t.dtype, buffer=nl.shared_hbm)
    up_tiles = load_rows(w_up)
    down_tiles = load_rows(w_down)

    for n in range(tokens // TILE_N):
        columns = nl.ds(n * TILE_N, TILE_N)
        x_tiles = load_rows(x_t[:, columns])
        # hidden^T = w_up^T @ x^T: the result has the hidden dimension on partitions, just where the second matmul needs its
        # contraction dimension.
        hidden_tiles = []
        for h in range(hidden // P):
            acc = nl.ndarray((P, TILE_N), dtype=nl.float32, buffer=nl.psum)
            for k in range(width // P):
                nisa.nc_matmul(dst=acc, stationary=up_tiles[k][:, nl.ds(h * P, P)], moving=x_tiles[k])
            # GELU on the way out of PSUM: the evacuation that is needed anyway does the work.
            tile = nl.ndarray((P, TILE_N), dtype=x_t.dtype, buffer=nl.sbuf)
            nisa.activation(dst=tile, op=nl.gelu, data=acc)
            hidden_tiles.append(tile)
        for m in range(width // P):
            acc = nl.ndarray((P, TILE_N), dtype=nl.float32, buffer=nl.psum)
            for h in range(hidden // P):
                nisa.nc_matmul(dst=acc, stationary=down_tiles[h][:, nl.ds(m * P, P)], moving=hidden_tiles[h])
            # The Scalar Engine is busy with GELU, so the Vector Engine evacuates this one.
            result = nl.ndarray((P, TILE_N), dtype=out.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result, src=acc, engine=nisa.engine.vector)
            nisa.dma_copy(dst=out[nl.ds(m * P, P), columns], src=result)
    return out


def load_rows(matrix):
    """Loads a matrix as a list of tiles of 128 rows."""
    tiles = []
    for k in range(matrix.shape[0] // P):
        tile = nl.ndarray((P, matrix.shape[1]), dtype=matrix.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=matrix[nl.ds(k * P, P), :])
        tiles.append(tile)
    return tiles


dtype = {"fp32": nl.float32, "bf16": nl.bfloat16}[precision]
rng = np.random.default_rng(0)
x = rng.standard_normal((tokens, width)).astype(np.float32)
w_up = (rng.standard_normal((width, hidden)) / np.sqrt(width)).astype(np.float32)
w_down = (rng.standard_normal((hidden, width)) / np.sqrt(hidden)).astype(np.float32)

out = gelu_mlp(x.T.astype(dtype), w_up.astype(dtype), w_down.astype(dtype))


def erf(x):
    """Abramowitz and Stegun 7.1.26, good to 1.5e-7: NumPy has no erf."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - poly * np.exp(-x * x))


h = x @ w_up
reference = (h * 0.5 * (1 + erf(h / np.sqrt(2)))) @ w_down
error = np.linalg.norm(out.astype(np.float32).T - reference) / np.linalg.norm(reference)
# FP32: the reference's erf is good to 1.5e-7. BF16: weights, inputs, hidden layer and result are rounded to 8 bits: about 4e-3.
tolerance = {"fp32": 2e-6, "bf16": 6e-3}[precision]
assert error <= tolerance, f"relative error {error:.2e} is above {tolerance:.1e}"
print(f"relative error against FP32 NumPy: {error:.2e} (allowed {tolerance:.1e})")
