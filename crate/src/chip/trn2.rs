//! Trainium2: NeuronCore-v3.

use crate::base::units::{Bytes, BytesPerSec, Hertz, Ps};
use crate::chip::dma::Dma;
use crate::chip::engine::Engines;
use crate::chip::memory::Memory;
use crate::chip::{Chip, Fact, Gen};

/// The architecture guide of this generation in the public NKI documentation.
const ARCH: &str = "NKI architecture guide, Trainium2";

/// Trainium2.
pub(super) static CHIP: Chip = Chip {
    name: "trn2",
    title: "Trainium2",
    generation: Gen::Gen3,
    cores: Fact::documented(8, ARCH),
    memory: Memory {
        partitions: Fact::documented(128, ARCH),
        sbuf_partition_bytes: Fact::documented(Bytes(224 * 1024), ARCH),
        sbuf_usable_bytes: Fact::estimated(
            Bytes((224 - 16) * 1024),
            "the compiler keeps about 16 KiB a partition on trn2",
        ),
        psum_banks: Fact::documented(8, ARCH),
        psum_bank_bytes: Fact::documented(Bytes(2048), ARCH),
        hbm_bytes: Fact::documented(Bytes(96 << 30), ARCH),
        hbm_stack_rate: Fact::documented(BytesPerSec(716_000_000_000), ARCH),
        cores_per_stack: Fact::documented(2, ARCH),
    },
    engines: Engines {
        tensor_clock: Fact::documented(Hertz(2400_000_000), ARCH),
        vector_clock: Fact::documented(Hertz(960_000_000), ARCH),
        scalar_clock: Fact::documented(Hertz(1200_000_000), ARCH),
        gpsimd_clock: Fact::documented(Hertz(1200_000_000), ARCH),
        stationary_fmax: Fact::documented(128, ARCH),
        moving_fmax: Fact::documented(512, ARCH),
        semaphore_latency: Fact::derived(
            Ps::from_ns(35),
            "published trn2 traces: 12 ns to the semaphore, 23 ns to the waiter",
        ),
    },
    dma: Dma {
        engines: Fact::documented(16, ARCH),
        engine_rate: Fact::documented(BytesPerSec(27200_000_000), ARCH),
        descriptor_overhead: Fact::derived(Ps::from_ns(7), "published trn2 traces"),
    },
};
