//! Types whose values are stored: owned and nameable.

use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{GenericArgument, Lifetime, PathArguments, Type, TypeImplTrait, TypeReference};

/// The reason why values of a type cannot be stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NotOwned<'a> {
    /// A reference.
    Reference(&'a TypeReference),
    /// An elided lifetime argument: `Cow<'_, str>`.
    Lifetime(&'a Lifetime),
    /// It has no name by which a stored value could be decoded.
    ImplTrait(&'a TypeImplTrait),
}

/// The help for a type with references.
pub(crate) const OWN: &str = "arguments and results are stored, so they own their data: use `String` \
                              for `&str`, `Vec<T>` for `&[T]`, `T` for `&T`";

/// The help for a mutable reference.
pub(crate) const OWN_MUTABLE: &str = "arguments are stored, so they own their data: take the value, return the \
                                      changed one, and assign it: `lines = add_line(lines).await`";

/// The help for a type with an elided lifetime.
pub(crate) const OWN_LIFETIME: &str = "arguments and results are stored, so they own their data: write \
                                       `'static`, as in `Cow<'static, str>`, or use a type without \
                                       a lifetime";

/// The help for an unsized type.
pub(crate) const SIZED: &str = "arguments and results are stored, so they own their data: use `String` \
                                for `str`, `Vec<T>` for `[T]`, `Box<…>` for others";

/// The help for `impl Trait`.
pub(crate) const NAME: &str = "name the type: stored values are read back by their type";

/// The parts of `ty` that cannot be stored, as far as their names show.
pub(crate) fn not_owned(ty: &Type) -> Vec<NotOwned<'_>> {
    struct Visitor<'a>(Vec<NotOwned<'a>>);
    impl<'a> Visit<'a> for Visitor<'a> {
        fn visit_type_reference(&mut self, ty: &'a TypeReference) {
            self.0.push(NotOwned::Reference(ty));
        }

        fn visit_lifetime(&mut self, lifetime: &'a Lifetime) {
            // Other lifetimes are declared, which is refused, or `'static`.
            if lifetime.ident == "_" {
                self.0.push(NotOwned::Lifetime(lifetime));
            }
        }

        fn visit_type_impl_trait(&mut self, ty: &'a TypeImplTrait) {
            self.0.push(NotOwned::ImplTrait(ty));
        }

        fn visit_type_fn_ptr(&mut self, _: &'a syn::TypeFnPtr) {
            // rustc reports that functions cannot be serialized.
        }

        fn visit_type_trait_object(&mut self, _: &'a syn::TypeTraitObject) {
            // Likewise.
        }
    }
    let mut visitor = Visitor(Vec::new());
    visitor.visit_type(ty);
    visitor.0
}

/// Whether the type is unsized, as far as its name shows.
pub(crate) fn has_no_size(ty: &Type) -> bool {
    match ty {
        Type::Slice(_) => true,
        Type::Path(path) => path.path.is_ident("str"),
        Type::Group(group) => has_no_size(&group.elem),
        Type::Paren(paren) => has_no_size(&paren.elem),
        _ => false,
    }
}

/// The types that must be storable for `ty` to be: for a `Result`, both arguments, so that rustc's error is at the
/// wrong one.
pub(crate) fn stored_parts(ty: &Type) -> Vec<&Type> {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && last.ident == "Result"
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
    {
        let types = arguments.args.iter().filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        });
        let types: Vec<_> = types.collect();
        // An alias with fewer arguments may hide one.
        if types.len() == 2 {
            return types;
        }
    }
    vec![ty]
}

/// Replaces the lifetimes of a refused type, so that it is valid in an `impl` and callers have no further errors.
pub(crate) fn make_static(ty: &mut Type) {
    make_nameable(ty, Some(&syn::parse_quote!('static)));
}

/// Replaces the lifetimes of a refused parameter's type, so that callers may pass any borrow.
pub(crate) fn make_elided(ty: &mut Type) {
    make_nameable(ty, None);
}

fn make_nameable(ty: &mut Type, lifetime: Option<&Lifetime>) {
    struct References<'a>(Option<&'a Lifetime>);
    impl VisitMut for References<'_> {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            match ty {
                Type::ImplTrait(_) => *ty = syn::parse_quote!(()),
                Type::Reference(reference) => reference.lifetime = self.0.cloned(),
                _ => {}
            }
            visit_mut::visit_type_mut(self, ty);
        }
    }
    match ty {
        Type::Slice(slice) => {
            let item = &slice.elem;
            *ty = syn::parse_quote!(::std::vec::Vec<#item>);
        }
        _ if has_no_size(ty) => *ty = syn::parse_quote!(::std::string::String),
        _ => {}
    }
    References(lifetime).visit_type_mut(ty);
}
