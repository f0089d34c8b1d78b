//! The hand-written programs: `programs/<area>/<what_it_exercises>.rs`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::batch::Program;

/// All of them, by name.
///
/// # Errors
/// A file or folder cannot be read.
pub fn load() -> io::Result<Vec<Program>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let mut programs = Vec::new();
    for area in entries(&root)? {
        for path in entries(&area)? {
            let name = path.strip_prefix(&root).unwrap_or(&path).with_extension("");
            let id = name.to_string_lossy().replace('\\', "/");
            programs.push(Program { id, source: fs::read_to_string(&path)? });
        }
    }
    Ok(programs)
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
