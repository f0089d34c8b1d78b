//! Nothing to do. Without a build script cargo would not unify the features of build dependencies.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
