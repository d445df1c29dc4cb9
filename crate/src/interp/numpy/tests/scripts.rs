//! Whole scripts with the output that NumPy 2.4 gives.

use crate::interp::numpy::node::Mode;
use crate::interp::numpy::{MODULES, Session};
use crate::interp::{Interp, Limits, NoModules, Outcome, Stop};

/// Runs a script in a mode; returns its output and the first error as `code: message`, and how checks ended.
fn run_in(mode: Mode, text: &str) -> (String, Vec<Outcome>) {
    let mut cx = Interp::new(Limits::default(), Box::new(NoModules));
    for module in MODULES {
        cx.register(*module);
    }
    cx.extension::<Session>().mode = mode;
    let outcome = cx.run_script("script.py", text);
    let mut out = cx.stdout.clone();
    match outcome {
        Ok(()) => {}
        Err(Stop::Errors(errors)) => out.push_str(&format!("{}: {}\n", errors[0].code.id(), errors[0].message)),
        Err(Stop::Suspended(at)) => out.push_str(&format!("suspended: {}\n", at.message)),
        Err(Stop::Exited) => out.push_str("exited\n"),
    }
    (out, cx.checks.iter().map(|check| check.outcome).collect())
}

#[test]
fn a_tour_of_numpy_prints_what_numpy_prints() {
    let (out, _) = run_in(Mode::Simulate, include_str!("tour.py"));
    for (line, (ours, numpys)) in out.lines().zip(include_str!("tour.txt").lines()).enumerate() {
        assert_eq!(ours, numpys, "output line {}", line + 1);
    }
    assert_eq!(out.lines().count(), include_str!("tour.txt").lines().count());
}

#[test]
fn estimate_mode_skips_checks_and_shows_what_is_unknown() {
    let script = "import numpy as np\n\
        x = np.random.default_rng(0).standard_normal((4096, 4096)).astype(np.float32)\n\
        y = x @ x.T\n\
        print(y.shape, y.dtype, f\"{np.abs(y - x).max():.2e}\")\n\
        np.testing.assert_allclose(y, x)\n\
        assert np.allclose(x, y)\n\
        print(int(np.prod(x.shape)), x)\n";
    let (out, checks) = run_in(Mode::Estimate, script);
    let expected = "(4096, 4096) float32 ?\n16777216 array(shape=(4096, 4096), dtype=float32, values not computed)\n";
    assert_eq!(out, expected);
    assert_eq!(checks, [Outcome::Skipped, Outcome::Skipped]);
}

#[test]
fn narrow_dtypes_and_packs_reach_scripts() {
    let script = "import numpy as np\nimport ml_dtypes\n\
        x = np.array([0.3, 500.0]).astype(ml_dtypes.float8_e4m3fn)\n\
        print(x.dtype, x.view(np.uint8), x.astype(np.float32))\n\
        b = np.arange(3).astype(ml_dtypes.bfloat16)\n\
        print((b * 2).dtype, (b * 2.5).dtype, b.sum(), repr(b))\n\
        p = np.arange(8, dtype=np.uint8).view('float8_e4m3fn_x4')\n\
        print(p.shape, p.dtype.itemsize)\n";
    let expected = "float8_e4m3fn [ 42 127] [0.3125    nan]\n\
        bfloat16 float32 3 array([0, 1, 2], dtype=bfloat16)\n(2,) 4\n";
    assert_eq!(run_in(Mode::Simulate, script).0, expected);
}

#[test]
fn what_is_missing_says_so_by_name() {
    let error = |line: &str| run_in(Mode::Simulate, &format!("import numpy as np\n{line}\n")).0;
    assert_eq!(
        error("np.histogram([1])"),
        "unimplemented: numpy.histogram is not available in the playground\n"
    );
    assert_eq!(
        error("np.fft.fft([1])"),
        "unimplemented: numpy.fft is not available in the playground\n"
    );
    let where_ = "np.add(1, 2, where=True)";
    assert_eq!(
        error(where_),
        "unimplemented: add(): argument 'where' is not available in the playground\n"
    );
}

#[test]
fn seeds_make_runs_repeat() {
    let script = "import numpy as np\nprint(np.random.rand(), np.random.default_rng().random())\n";
    assert_eq!(run_in(Mode::Simulate, script), run_in(Mode::Simulate, script));
}

#[test]
fn an_empty_list_compares_with_integers() {
    let text = "import numpy as np\nx = np.arange(6).reshape(2, 3)\nprint((np.arange(3)[:0] <= []).shape, ([] < np.int8(3)).shape, sum([]) == np.sum([]))\n";
    let (out, _) = run_in(Mode::Simulate, text);
    assert_eq!(out, "(0,) (0,) True\n");
}
