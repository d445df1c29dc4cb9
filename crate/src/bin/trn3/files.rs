//! The file system, as far as a script may see it.

use std::fs;
use std::path::{Path, PathBuf};

use trn3::base::diag::{Code, Fault};
use trn3::simulation::{Files, Sources};

/// Modules in the folder of the script and in the folders of `--root`.
pub struct Roots(pub Vec<PathBuf>);

impl Sources for Roots {
    fn read(&self, path: &str) -> Option<(String, String)> {
        let candidates = self.0.iter().map(|root| root.join(path));
        let found = candidates.into_iter().find(|candidate| candidate.is_file())?;
        let text = fs::read_to_string(&found).ok()?;
        Some((found.display().to_string(), text))
    }
}

/// `.npy` files below one folder.
pub struct Below(pub PathBuf);

impl Below {
    /// The path, if it stays below the folder.
    fn inside(&self, path: &str) -> Result<PathBuf, Fault> {
        let full = self.0.join(path);
        let parent = full.parent().unwrap_or(Path::new("")).canonicalize();
        let below = |folder: &Path| self.0.canonicalize().is_ok_and(|root| folder.starts_with(root));
        // A link as the last part could lead anywhere.
        let link = full.symlink_metadata().is_ok_and(|data| data.is_symlink());
        match (parent, full.file_name()) {
            (Ok(folder), Some(name)) if below(&folder) && !link => Ok(folder.join(name)),
            _ => Err(
                Fault::new(Code::File, format!("'{path}' is not below the current folder"))
                    .hint("numpy.load and numpy.save reach files below the current folder only"),
            ),
        }
    }
}

impl Files for Below {
    fn read(&self, path: &str) -> Result<Vec<u8>, Fault> {
        fs::read(self.inside(path)?).map_err(|error| Fault::new(Code::File, format!("cannot read '{path}': {error}")))
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Fault> {
        fs::write(self.inside(path)?, bytes)
            .map_err(|error| Fault::new(Code::File, format!("cannot write '{path}': {error}")))
    }
}
