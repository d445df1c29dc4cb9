//! The library inside a browser: the module loads, and its tables say there what they say natively.
#![cfg(target_arch = "wasm32")]

use trn3::numerics::dtype::Dtype;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Storage sizes that the memory panel and every byte count rest on.
#[wasm_bindgen_test]
fn dtype_sizes_are_those_of_the_published_formats() {
    let sizes = [
        ("float32", 4),
        ("bfloat16", 2),
        ("float8_e4m3fn", 1),
        ("float8_e4m3fn_x4", 4),
        ("float4_e2m1fn_x4", 2),
    ];
    for (name, bytes) in sizes {
        let dtype = Dtype::from_name(name).expect(name);
        assert_eq!((dtype.name(), dtype.bytes()), (name, bytes));
    }
}

/// Every name leads back to its own row, so names are distinct.
#[wasm_bindgen_test]
fn dtype_names_round_trip() {
    for &dtype in Dtype::ALL {
        assert_eq!(Dtype::from_name(dtype.name()), Some(dtype));
    }
}
