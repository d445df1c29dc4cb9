"""Average pooling. Access patterns read a window of pixels as extra free dimensions, without copying."""
#@gallery order=30 group="First steps"

import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

channels = 128     #@param {type:"slider", min:32, max:128, step:32}
size = 64          #@param {type:"slider", min:16, max:96, step:16}
pool = 2           #@param {type:"slider", min:2, max:4, step:2}


@nki.jit
def average_pool(x, pool):
    channels, height, width = x.shape
    out_height, out_width = height // pool, width // pool
    out = nl.ndarray((channels, out_height, out_width), dtype=x.dtype, buffer=nl.shared_hbm)

    image = nl.ndarray((channels, height, width), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=image, src=x)

    # Split rows and columns into (block, pixel in block) and bring both pixel dimensions to the end. Nothing moves: the
    # view only tells the Vector Engine in which order to read.
    windows = image.reshape_dim(1, (out_height, pool)).reshape_dim(3, (out_width, pool)).permute((0, 1, 3, 2, 4))

    pooled = nl.ndarray((channels, out_height, out_width), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=pooled, op=nl.add, data=windows, axis=(3, 4))
    result = nl.ndarray((channels, out_height, out_width), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=result, data=pooled, op0=nl.multiply, operand0=1.0 / (pool * pool))
    nisa.dma_copy(dst=out, src=result)
    return out


x = np.random.default_rng(0).standard_normal((channels, size, size)).astype(np.float32)

out = average_pool(x, pool)

reference = x.reshape(channels, size // pool, pool, size // pool, pool).mean(axis=(2, 4))
# At most 16 values are summed in FP32, in another order than NumPy's: a few units in the last place.
np.testing.assert_allclose(out, reference, rtol=1e-5, atol=1e-6)
print(f"largest difference from NumPy: {np.abs(out - reference).max():.2e}")
