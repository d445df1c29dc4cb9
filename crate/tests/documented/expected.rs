//! What the examples of the documentation need around them, and which of them differ.

const NEGATIVE_LOAD: &str = "test_nki_isa_dma_copy.test_indirect_load_oob_err_negative";
const NEGATIVE_STORE: &str = "test_nki_isa_dma_copy.test_indirect_store_oob_err_negative";
const MASK_REPLACE: &str = "test_nki_isa_nc_match_replace8.test_nc_match_replace_indices8_mask";
const CHAIN2: &str = "test_nki_isa_tensor_scalar_cumulative.test_tensor_scalar_cumulative_chain2";

/// Examples that do not run as they stand, and why.
pub const DIFFERENT: &[(&str, &str)] = &[
    (
        "layout-dynamic-loop",
        "the file has a syntax error: a parenthesis is missing",
    ),
    (
        "layout-loop",
        "imports torch_neuronx and uses the name i_f, which it never sets",
    ),
    (
        "layout-violation",
        "meant to fail: it loads 256 rows, the hardware has 128 partitions",
    ),
    (
        "test_nki_isa_activation.test_activation",
        "rounds to bfloat16 as the kernel asks; the test expects float32, as an earlier simulator kept it",
    ),
    (
        NEGATIVE_LOAD,
        "stops the run at the index; the test expects the IndexError of an earlier simulator",
    ),
    (
        NEGATIVE_STORE,
        "stops the run at the index; the test expects the IndexError of an earlier simulator",
    ),
    (MASK_REPLACE, "mask= was removed in NKI 0.2.0"),
    ("test_nki_mask.test_mask", "mask= was removed in NKI 0.2.0"),
    (
        "test_nki_isa_nc_matmul.test_double_row_gen3",
        "the name double_row_gen3 was removed; it is nisa.matmul_perf_mode.double_row",
    ),
    (
        "test_nki_isa_range_select.test_range_select_example",
        "returns a tile in SBUF in place of the tensor that it wrote",
    ),
    (
        CHAIN2,
        "passes imm1 without reduce_cmd.load_reduce, which the reference of today rules out",
    ),
    (
        "test_nki_nl_gather_flattened.test_gather_flattened",
        "assigns to single partitions; an engine writes from partition 0, 32, 64 or 96 on",
    ),
    (
        "test_nki_nl_load_store_indirect.test_indirect_save_1",
        "returns a tensor with rows that nobody wrote",
    ),
    (
        "test_nki_nl_load_store_indirect.test_indirect_save_2",
        "returns a tensor with rows that nobody wrote",
    ),
    (
        "test_psum_modulo_alloc.test_simulate_kernel",
        "the allocators of NKI 0.1 were removed; nl.ndarray takes address=",
    ),
    (
        "test_sbuf_modulo_alloc.test_simulate_kernel",
        "the allocators of NKI 0.1 were removed; nl.ndarray takes address=",
    ),
    ("isa.VirtualRegister#1", "the operands are left out, as in src=..."),
    ("isa.core_barrier#0", "copies tiles that nobody wrote"),
    ("isa.sendrecv#0", "sends a tile that nobody wrote, from one core"),
    (
        "isa.nonzero_with_count#1",
        "returns a tensor in nl.hbm; outputs must be in shared_hbm since NKI 0.3.0",
    ),
    ("isa.topk#0", "returns tiles in SBUF; outputs must be in shared_hbm"),
];

/// Blocks that describe semantics in a mixture of Python and mathematics.
pub const PSEUDO_CODE: &[&str] = &[
    "isa.tensor_scalar_cumulative#0",
    "isa.activation#0",
    "isa.activation_reduce#0",
    "isa.activate2#1",
    "isa.iota#0",
    "isa.affine_select#0",
    "isa.tensor_tensor_scan#0",
    "isa.exponential#0",
    "isa.range_select#0",
    "isa.select_reduce#0",
    "isa.nonzero_with_count#0",
    "language.fori_loop#0",
    "language.while_loop#0",
];

/// The target that an example needs.
pub fn target(_name: &str) -> &'static str {
    "trn3"
}

/// Files whose launch needs a framework, and a launch with NumPy instead.
pub const LAUNCHES: &[(&str, &str)] = &[
    (
        "layout-pass",
        "x = np.ones((128, 512), dtype=np.float32)\nassert np.allclose(tensor_exp_kernel_(x), np.exp(x))\n",
    ),
    (
        "layout-dynamic-loop",
        "x = np.ones((300, 64), dtype=np.float32)\nassert np.allclose(tensor_exp_kernel_(x), np.exp(x))\n",
    ),
    (
        "layout-loop",
        "x = np.ones((256, 512), dtype=np.float32)\nassert np.allclose(tensor_exp_kernel_(x), np.exp(x))\n",
    ),
    (
        "layout-violation",
        "tensor_exp_kernel_(np.ones((256, 512), dtype=np.float32))\n",
    ),
    (
        "index-case-1",
        "x = np.arange(20, dtype=np.float32).reshape(4, 5)\neven, odd = tensor_split_kernel_(x)\nassert (even == x[:, ::2]).all() and (odd == x[:, 1::2]).all()\n",
    ),
    (
        "index-case-3",
        "x = np.arange(72, dtype=np.float32).reshape(2, 6, 6)\nassert (tensor_maxpool_kernel_(x, 2) == x.reshape(2, 3, 2, 3, 2).max(axis=(2, 4))).all()\n",
    ),
    ("getting_started_torch", ADD),
    ("getting_started_jax", ADD),
];

const ADD: &str = "a = np.ones((4, 3), dtype=np.float16)\nassert (nki_tensor_add_kernel(a, a) == 2).all()\n";

/// What stands around a block: its name, the arguments that it takes for given, and what follows it. A name that begins with `@`
/// is set inside of the kernel. A first argument without a name says that the block is a script with a kernel, which what follows launches.
pub type Setup = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const SCRIPT: &[(&str, &str)] = &[("", "")];
const ROWS: &str = "np.random.rand(128, 512).astype(np.float32)";
const SQUARED: &str = "assert np.allclose(arguments[1], arguments[0] ** 2)";

/// The surroundings of each block that needs some.
pub const SETUPS: &[Setup] = &[
    (
        "language.affine_range#0",
        &[("input_tensor", ROWS), ("out_tensor", ROWS)],
        SQUARED,
    ),
    (
        "language.sequential_range#0",
        &[("input_tensor", ROWS), ("out_tensor", ROWS)],
        SQUARED,
    ),
    (
        "language.static_range#0",
        &[("input_tensor", ROWS), ("out_tensor", ROWS)],
        SQUARED,
    ),
    (
        "language.dynamic_range#0",
        &[("input_tensor", ROWS), ("out_tensor", ROWS)],
        SQUARED,
    ),
    (
        "isa.VirtualRegister#0",
        &[("input_tensor", ROWS), ("out_tensor", ROWS)],
        SQUARED,
    ),
    (
        "language.copy#0",
        &[("x_tensor", "np.eye(128, dtype=np.float32)"), ("y_tensor", ROWS)],
        "",
    ),
    (
        "language.gather_flattened#0",
        &[
            ("data_tensor", ROWS),
            (
                "indices_tensor",
                "np.random.randint(0, 512, size=(128, 512)).astype(np.uint32)",
            ),
            ("actual_tensor", ROWS),
        ],
        "assert (arguments[2] == np.take_along_axis(arguments[0], arguments[1].astype(np.int64), axis=1)).all()",
    ),
    (
        "language.shared_identity_matrix#0",
        &[
            ("expected_tensor", "np.eye(128, dtype=np.float32)"),
            ("actual_tensor", "np.zeros((128, 128), dtype=np.float32)"),
        ],
        "assert (arguments[1] == np.eye(128)).all()",
    ),
    (
        "language.fori_loop#1",
        &[
            ("ub_input", "np.array([[5]], dtype=np.int32)"),
            ("output", "np.ones((1, 8), dtype=np.float32)"),
            ("data", "np.arange(1, 9, dtype=np.float32).reshape(1, 8)"),
            ("N", "8"),
        ],
        "assert (arguments[1] == np.array([[1, 2, 3, 4, 5, 0, 0, 0]])).all()",
    ),
    (
        "language.while_loop#1",
        &[
            ("data", "np.array([[2.5]], dtype=np.float32)"),
            ("count_input", "np.array([[3]], dtype=np.int32)"),
        ],
        "",
    ),
    ("language.NkiTensor.__getitem__#0", &[("i", "8")], ""),
    (
        "language.NkiTensor.ap#0",
        &[("@idx", "nl.zeros((1, 1), dtype=nl.int32)")],
        "",
    ),
    (
        "isa.dma_copy#0",
        SCRIPT,
        "data = np.random.rand(64, 32).astype(np.float32)\nindices = np.array([[5], [0], [63], [5]], dtype=np.uint32)\nassert (indirect_gather_kernel(data, indices) == data[[5, 0, 63, 5]]).all()",
    ),
    (
        "isa.dma_copy#1",
        SCRIPT,
        "data = np.random.rand(3, 32).astype(np.float32)\nindices = np.array([[5], [0], [7]], dtype=np.uint32)\noutput = np.zeros((8, 32), dtype=np.float32)\nresult = indirect_scatter_kernel(data, indices, output)\nassert (output[[5, 0, 7]] == data).all()",
    ),
    (
        "isa.nc_matmul#0",
        SCRIPT,
        "a = np.random.rand(512, 64).astype(np.float32)\nb = np.random.rand(512, 256).astype(np.float32)\nassert np.allclose(nc_matmul_accumulate_kernel(a, b), a.T @ b, rtol=1e-4)",
    ),
    (
        "isa.dma_transpose#0",
        SCRIPT,
        "src = np.arange(256 * 128).reshape(256, 128).astype(np.uint16)\nidx = np.random.permutation(256)[:128].astype(np.uint32).reshape(128, 1)\nassert (gather_transpose_kernel(src, idx) == src[idx[:, 0].astype(np.int64)].T).all()",
    ),
    (
        "isa.dma_transpose#1",
        SCRIPT,
        "src = np.arange(300 * 128).reshape(300, 128).astype(np.uint16)\nidx = np.random.permutation(300)[:256].astype(np.uint32).reshape(128, 2)\nflat = idx.T.flatten().astype(np.int64)\nassert (gather_transpose_2d_kernel(src, idx) == src[flat].T).all()",
    ),
    (
        "isa.dma_transpose#2",
        SCRIPT,
        "src = np.arange(300 * 3 * 64).reshape(300, 1, 3, 64).astype(np.uint16)\nidx = np.random.permutation(300)[:256].astype(np.uint32).reshape(128, 2)\nflat = idx.T.flatten().astype(np.int64)\nassert (gather_transpose_4d_kernel(src, idx) == src[flat].transpose(3, 1, 2, 0)).all()",
    ),
    (
        "isa.activate2#0",
        SCRIPT,
        "x = np.linspace(-2, 2, 128 * 64).astype(np.float32).reshape(128, 64)\ny = x * 2 + 0.5\nassert np.allclose(activate2_scale_bias_kernel(x), 0.5 * y * (1 + np.tanh(0.7978845608 * (y + 0.044715 * y ** 3))), atol=2e-3)",
    ),
    (
        "isa.nonzero_with_count#1",
        SCRIPT,
        "x = np.zeros((16, 8), dtype=np.float32)\nx[0] = [0, 1, 1, 0, 0, 1, 0, 0]\nassert (nki.jit(nonzero_with_count_kernel)(x)[0] == [1, 2, 5, -1, -1, -1, -1, -1, 3]).all()",
    ),
    (
        "isa.topk#0",
        SCRIPT,
        "import ml_dtypes\nnki.jit(topk_kernel)(np.zeros((16, 3), dtype=ml_dtypes.bfloat16))",
    ),
    (
        "isa.core_barrier#0",
        &[
            ("batch_size", "8"),
            ("hidden_dim", "16"),
            ("core_id", "0"),
            ("@core_barrier", "nisa.core_barrier"),
        ],
        "",
    ),
    (
        "isa.sendrecv#0",
        &[
            ("batch_size", "8"),
            ("hidden_dim", "16"),
            ("@sendrecv", "nisa.sendrecv"),
        ],
        "",
    ),
];
