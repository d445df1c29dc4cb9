//! Standard output and standard error. A reader that has seen enough and closes the pipe is no error.

use std::io::{ErrorKind, Write, stderr, stdout};

/// Writes to standard output.
///
/// # Errors
/// It cannot be written, for another reason than a closed pipe.
pub fn show(text: &str) -> Result<(), String> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("cannot write to standard output: {error}")),
        _ => Ok(()),
    }
}

/// Writes to standard error; if that fails there is nobody left to tell.
pub fn complain(text: &str) {
    let mut out = stderr().lock();
    if out.write_all(text.as_bytes()).is_ok() {
        let _ = out.flush();
    }
}
