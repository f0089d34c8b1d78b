//! Kinds of types with rules of their own: hash maps and sets, and paths of files.

use syn::{PathArguments, Type};

use super::names::Names;
use crate::syntax::source::hashers::{HASHED, has_own_hasher};

/// Kinds of types with refused methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A hash map or set, or a reference to one.
    Hashed,
    /// A file path, or a reference to one.
    FilePath,
    Other,
}

impl Kind {
    pub(super) fn of(ty: &Type, names: &Names) -> Self {
        if is_hashed(ty, names) {
            Self::Hashed
        } else if is_file_path(ty, names) {
            Self::FilePath
        } else {
            Self::Other
        }
    }
}

/// The target of a reference type.
fn referred(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Reference(reference) => &reference.elem,
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            other => return other,
        }
    }
}

/// Whether a type is a hash map or set whose hasher differs between processes, or a reference to one.
pub(super) fn is_hashed(ty: &Type, names: &Names) -> bool {
    match referred(ty) {
        Type::Path(ty) => {
            let arguments = ty.path.segments.last().map_or(0, |last| match &last.arguments {
                PathArguments::AngleBracketed(arguments) => arguments.args.len(),
                _ => 0,
            });
            names.resolve(&ty.path).is_some_and(|path| {
                let [first, .., last] = path.as_slice() else { return false };
                ["std", "hashbrown"].contains(&first.as_str())
                    && HASHED.iter().any(|(name, _)| name == last)
                    && !has_own_hasher(last, arguments)
            })
        }
        _ => false,
    }
}

/// Whether a type is a file path, or a reference to one.
pub(super) fn is_file_path(ty: &Type, names: &Names) -> bool {
    match referred(ty) {
        Type::Path(ty) => names.resolve(&ty.path).is_some_and(
            |path| matches!(path.as_slice(), [first, .., last] if names_file_path(first, last)),
        ),
        _ => false,
    }
}

pub(super) fn names_file_path(first: &str, ty: &str) -> bool {
    first == "std" && (ty == "Path" || ty == "PathBuf")
}
