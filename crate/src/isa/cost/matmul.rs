//! The Tensor Engine: a load of the stationary matrix, then the moving matrix streams through.

use smallvec::smallvec;

use crate::base::units::Ps;
use crate::chip::engine::{Engine, Engines};
use crate::isa::context::OpCx;
use crate::isa::cost::cycles_f64;
use crate::isa::work::{EngineWork, Part, Phase, Work};
use crate::numerics::dtype::Dtype;
use crate::tensor::tables::Tile;

/// What decides the cost of a matrix instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Contraction rows that the instruction covers (more than 128 with double row or microscaling).
    pub contraction: u64,
    /// Stationary columns: rows of the result.
    pub rows: u64,
    /// Moving columns: columns of the result.
    pub columns: u64,
    /// Whether operands are fp32, which takes several passes.
    pub fp32: bool,
    /// Whether it transposes; its operations are then kept apart.
    pub transpose: bool,
}

/// Cycles of a moving column.
fn column_cycles(engines: &Engines, shape: &Shape) -> f64 {
    match (shape.fp32, shape.transpose) {
        (true, true) => engines.transpose_column_fp32.get(),
        (true, false) => engines.matmul_column_fp32.get(),
        (false, true | false) => engines.matmul_column.get(),
    }
}

/// A matrix instruction of `shape`.
pub fn matrix(cx: &OpCx, shape: Shape) -> Work {
    let engines = &cx.chip.engines;
    let clock = engines.tensor_clock.get();
    let column = column_cycles(engines, &shape);
    let columns = shape.columns.max(u64::from(engines.matmul_min_columns.get()));
    let stream = cycles_f64(clock, columns as f64 * column) + engines.matmul_overhead.get();
    let stationary = f64::from(engines.array_size.get()) * column / engines.load_speedup.get();
    let load_latency = if shape.fp32 {
        engines.load_latency_fp32.get()
    } else {
        engines.load_latency.get()
    };
    let operations = 2 * shape.contraction * shape.rows * shape.columns;
    let instructions = if shape.fp32 && !shape.transpose {
        u64::from(engines.matmul_fp32_instructions.get())
    } else {
        1
    };
    let load = phase(Part::LoadStationary, cycles_f64(clock, stationary), load_latency);
    let mut multiply = phase(Part::MultiplyMoving, stream, stream + engines.matmul_latency.get());
    if shape.transpose {
        multiply.transpose_flops = operations;
    } else {
        multiply.flops = operations * instructions;
        multiply.model_flops = operations;
    }
    Work::Engine(EngineWork {
        engine: Engine::Tensor,
        phases: smallvec![load, multiply],
    })
}

/// A phase without operations.
fn phase(part: Part, interval: Ps, latency: Ps) -> Phase {
    Phase {
        part,
        interval,
        latency,
        flops: 0,
        transpose_flops: 0,
        model_flops: 0,
    }
}

/// `nc_matmul`. `double_row` says that the first free dimension holds the two halves of the contraction. Transposes are passed
/// with `transpose`.
pub fn nc_matmul(cx: &OpCx, stationary: &Tile, moving: &Tile, double_row: bool, transpose: bool) -> Work {
    let halves = if double_row {
        u64::from(cx.chip.engines.double_row.get()).max(1)
    } else {
        1
    };
    let shape = Shape {
        contraction: u64::from(moving.partitions()) * halves,
        rows: stationary.free_elements() / halves,
        columns: moving.free_elements() / halves,
        fp32: stationary.dtype() == Dtype::F32 || moving.dtype() == Dtype::F32,
        transpose,
    };
    matrix(cx, shape)
}

/// `nc_matmul_mx`: a packed element holds four contraction rows.
pub fn nc_matmul_mx(cx: &OpCx, stationary: &Tile, moving: &Tile) -> Work {
    let pack = u64::from(cx.chip.engines.mx_rows.get());
    let shape = Shape {
        contraction: u64::from(moving.partitions()) * pack,
        rows: stationary.free_elements(),
        columns: moving.free_elements(),
        fp32: false,
        transpose: false,
    };
    matrix(cx, shape)
}

/// `nc_transpose` on the Tensor Engine: the data is stationary, an identity of as many columns as the data has partitions moves.
pub fn nc_transpose(cx: &OpCx, data: &Tile) -> Work {
    let partitions = u64::from(data.partitions());
    let shape = Shape {
        contraction: partitions,
        rows: data.free_elements(),
        columns: partitions,
        fp32: data.dtype().bytes() == 4,
        transpose: true,
    };
    matrix(cx, shape)
}
