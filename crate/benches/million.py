"""A static loop nest that issues a million instructions: what the front end can trace."""

import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def million(a):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)
    nisa.memset(dst=total, value=0.0)
    for _ in range(1000):
        for j in range(500):
            nisa.tensor_scalar(dst=total[:, j : j + 1], data=tile[:, j : j + 1], op0=nl.add, operand0=1.0)
            nisa.tensor_tensor(dst=total[:, j : j + 1], data1=total[:, j : j + 1], data2=tile[:, j : j + 1], op=nl.add)
    nisa.dma_copy(dst=out, src=total)
    return out


million(np.zeros((128, 512), dtype=np.float32))
