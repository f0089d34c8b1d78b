//! Indexes into the parts of a function, and the labels of jumps.

use proc_macro2::Span;

macro_rules! indexes {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub(crate) struct $name(pub(crate) usize);
        )*
    };
}

indexes! {
    /// Index into [`Locals`](super::Locals).
    LocalId;
    /// Index into [`Graph::blocks`](super::Graph::blocks).
    BlockId;
    /// Index into [`Graph::scopes`](super::Graph::scopes).
    ScopeId;
    /// A loop or labeled block whose body suspends. Its label in the code contains the number.
    TargetId;
    /// Index into [`Tree::points`](super::Tree::points): a suspension point.
    PointId;
    /// Index into [`Graph::regions`](super::Graph::regions).
    RegionId;
}

/// The label of a target, as the code that jumps to it contains it.
pub(crate) fn target_label(target: TargetId, span: Span) -> syn::Lifetime {
    syn::Lifetime::new(&format!("'__piton_{}", target.0), span)
}

/// The target that a label names, if it is one of [`target_label`].
pub(crate) fn label_target(label: &syn::Lifetime) -> Option<TargetId> {
    label.ident.to_string().strip_prefix("__piton_")?.parse().ok().map(TargetId)
}
