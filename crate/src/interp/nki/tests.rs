use crate::base::diag::{Code, Diagnostic};
use crate::interp::nki::session::Session;
use crate::interp::{Interp, Limits, NoModules, Stop, nki, numpy};
use crate::trace::program::Step;

const HEAD: &str = "import numpy as np\nimport nki\nimport nki.language as nl\nimport nki.isa as nisa\n";

/// Runs a script behind the usual imports.
fn run(body: &str) -> (Interp, Result<(), Stop>) {
    run_with(body, |_| {})
}

fn run_with(body: &str, set_up: impl FnOnce(&mut Session)) -> (Interp, Result<(), Stop>) {
    let mut interp = Interp::new(Limits::default(), Box::new(NoModules));
    for module in numpy::MODULES.iter().chain(nki::MODULES) {
        interp.register(*module);
    }
    set_up(interp.extension::<Session>());
    let result = interp.run_script("k.py", &format!("{HEAD}{body}"));
    (interp, result)
}

/// The first error of a script, with the text that it points at.
fn error(body: &str) -> (Diagnostic, String) {
    let (interp, result) = run(body);
    let Err(Stop::Errors(errors)) = result else {
        panic!("no error")
    };
    let first = errors[0].clone();
    let text = interp.sources.text(first.span).to_owned();
    (first, text)
}

/// Names of the instructions of each core of the first launch.
fn instructions(interp: &mut Interp) -> Vec<Vec<&'static str>> {
    let program = interp.extension::<Session>().launches[0].program.clone();
    program
        .cores
        .iter()
        .map(|core| core.insts.iter().map(|inst| inst.spec().name).collect())
        .collect()
}

const ADD: &str = "
@nki.jit
def add(a, b):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    x = nl.load(a)
    nisa.tensor_tensor(dst=x, data1=x, data2=nl.load(b), op=np.add)
    nisa.dma_copy(dst=out, src=x)
    print('traced')
    return out
x = np.zeros((128, 64), dtype=np.float32)
y = add(x, x)
";

#[test]
fn a_launch_is_recorded_with_inputs_outputs_and_names() {
    let (mut interp, result) = run(&format!("{ADD}assert y.shape == (128, 64) and y.dtype == np.float32\n"));
    assert!(result.is_ok());
    assert_eq!(
        instructions(&mut interp),
        [["dma_copy", "dma_copy", "tensor_tensor", "dma_copy"]]
    );
    let record = &interp.extension::<Session>().launches[0];
    assert_eq!((record.inputs.len(), record.outputs.len()), (2, 1));
    let names: Vec<&str> = record
        .program
        .tables
        .buffers
        .iter()
        .map(|buffer| buffer.name.as_str())
        .collect();
    assert_eq!(names[..4], ["a", "b", "out", "x"]);
}

#[test]
fn a_later_round_says_the_same_without_tracing() {
    let (mut first, _) = run(ADD);
    let replay: Vec<_> = first
        .extension::<Session>()
        .launches
        .iter()
        .map(|launch| launch.replay())
        .collect();
    let program = replay[0].program.clone();
    let (mut second, result) = run_with(ADD, |session| session.replay = replay);
    assert!(result.is_ok());
    assert_eq!(second.stdout, "traced\n");
    assert!(std::rc::Rc::ptr_eq(
        &program,
        &second.extension::<Session>().launches[0].program
    ));
}

#[test]
fn a_broken_rule_points_at_the_argument() {
    let body = "
@nki.jit
def k(a):
    x = nl.load(a)
    nisa.tensor_tensor(dst=x, data1=x, data2=a, op=nl.add)
k(np.zeros((128, 64), dtype=np.float32))
";
    let (diagnostic, text) = error(body);
    assert_eq!((diagnostic.code, text.as_str()), (Code::MemorySpace, "a"));
    assert_eq!(diagnostic.chain.len(), 1);
}

#[test]
fn outputs_must_be_written_and_in_shared_hbm() {
    let kernel = |body: &str| format!("@nki.jit\ndef k(a):\n    {body}\nk(np.zeros((128, 64), dtype=np.float32))\n");
    let (diagnostic, text) = error(&kernel("return nl.ndarray(a.shape, a.dtype, buffer=nl.shared_hbm)"));
    assert_eq!(diagnostic.code, Code::Uninitialized);
    assert_eq!(text, "nl.ndarray(a.shape, a.dtype, buffer=nl.shared_hbm)");
    assert_eq!(error(&kernel("return nl.load(a)")).0.code, Code::MemorySpace);
    assert_eq!(error(&kernel("return 3")).0.code, Code::Type);
}

#[test]
fn instructions_need_a_kernel_and_operators_the_older_dialect() {
    assert_eq!(
        error("nl.ndarray((128, 4), nl.float32)\n").0.message,
        "nl.ndarray() works inside of a kernel only".replace("nl.ndarray()", "ndarray")
    );
    let (diagnostic, _) =
        error("@nki.jit\ndef k(a):\n    x = nl.load(a)\n    y = x + x\nk(np.zeros((8, 4), dtype=np.float32))\n");
    assert_eq!(
        diagnostic.hints,
        ["write nl.add(a, b), or nisa.tensor_tensor with op=nl.add"]
    );
}

#[test]
fn a_grid_is_the_number_of_cores() {
    let body = ADD.replace("add(x, x)", "add[2](x, x)");
    let (mut interp, result) = run(&body);
    assert!(result.is_ok());
    assert_eq!(instructions(&mut interp).len(), 2);
    assert_eq!(
        error(&ADD.replace("add(x, x)", "add[3](x, x)")).0.code,
        Code::Constraint
    );
}

#[test]
fn arguments_that_a_kernel_writes_become_outputs() {
    let body = "
@nki.jit
def k(a):
    x = nl.zeros(a.shape, a.dtype)
    nisa.dma_copy(dst=a, src=x)
a = np.ones((8, 4), dtype=np.float32)
k(a)
";
    let (mut interp, result) = run(body);
    assert!(result.is_ok());
    let outputs = &interp.extension::<Session>().launches[0].outputs;
    assert_eq!((outputs.len(), outputs[0].argument), (1, Some(0)));
}

#[test]
fn loops_on_the_device_trace_their_body_once() {
    let body = "
@nki.jit
def k(a):
    x = nl.load(a)
    def body(i):
        nisa.memset(dst=x, value=0.0)
    nl.fori_loop(0, 10, body)
    for i in nl.dynamic_range(4):
        nisa.memset(dst=x, value=1.0)
    nisa.dma_copy(dst=a, src=x)
k(np.zeros((8, 4), dtype=np.float32))
";
    let (mut interp, result) = run(body);
    assert!(result.is_ok());
    assert_eq!(
        instructions(&mut interp),
        [["dma_copy", "memset", "memset", "dma_copy"]]
    );
    let program = &interp.extension::<Session>().launches[0].program;
    let trips: Vec<Option<u64>> = program.cores[0].loops.iter().map(|body| body.trip.known()).collect();
    assert_eq!(trips, [Some(10), Some(4)]);
    let marks = program.cores[0]
        .steps
        .iter()
        .filter(|step| !matches!(step, Step::Inst(_)))
        .count();
    assert_eq!(marks, 4);
}

#[test]
fn the_older_dialect_lowers_to_the_same_instructions() {
    let body = "
import neuronxcc.nki as onki
import neuronxcc.nki.language as onl
@onki.jit
def k(a):
    out = onl.ndarray(a.shape, dtype=a.dtype, buffer=onl.shared_hbm)
    i, j = onl.arange(128)[:, None], onl.arange(64)[None, :]
    t = onl.load(a[i, j])
    onl.store(out[i, j], value=t + t)
    return out
k[1, 1](np.zeros((128, 64), dtype=np.float32))
";
    let (mut interp, result) = run(body);
    assert!(result.is_ok());
    assert_eq!(instructions(&mut interp), [["dma_copy", "tensor_tensor", "dma_copy"]]);
    assert_eq!(interp.warnings[0].code, Code::Deprecated);
}

#[test]
fn the_listing_names_every_function_once() {
    let names: Vec<String> = nki::api().into_iter().map(|api| api.name).collect();
    assert!(names.windows(2).all(|pair| pair[0] < pair[1]));
    for name in [
        "nki.isa.nc_matmul",
        "nki.language.softmax",
        "nki.language.NkiTensor.ap",
        "nki.jit",
    ] {
        assert!(names.iter().any(|known| known == name), "{name}");
    }
}
