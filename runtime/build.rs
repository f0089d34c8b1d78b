//! Migrations are embedded into the crate. rustc knows of those that were there when it last read
//! the folders, but not of new ones.

fn main() {
    for folder in ["migrations/postgres", "migrations/sqlite"] {
        println!("cargo::rerun-if-changed={folder}");
    }
}
