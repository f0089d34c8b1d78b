//! Types whose values are stored: owned and nameable.

use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{GenericArgument, Lifetime, PathArguments, Type, TypeImplTrait, TypeReference};

/// Why a type cannot be that of a stored value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NotOwned<'a> {
    /// It refers to data of somebody else.
    Reference(&'a TypeReference),
    /// As above, by an argument of the type that is left open: `Cow<'_, str>`.
    Lifetime(&'a Lifetime),
    /// It has no name by which a stored value could be read back.
    ImplTrait(&'a TypeImplTrait),
}

/// What to write instead of a type with references.
pub(crate) const OWN: &str = "arguments and results are stored, so they own their data: use `String` \
                              for `&str`, `Vec<T>` for `&[T]`, `T` for `&T`";

/// What to write instead of a mutable reference.
pub(crate) const OWN_MUTABLE: &str = "arguments are stored, so they own their data: take the value, return the \
                                      changed one, and assign it: `lines = add_line(lines).await`";

/// What to write instead of a type with an open lifetime.
pub(crate) const OWN_LIFETIME: &str = "arguments and results are stored, so they own their data: write \
                                       `'static`, as in `Cow<'static, str>`, or use a type without \
                                       a lifetime";

/// What to write instead of a type of values that have no size.
pub(crate) const SIZED: &str = "arguments and results are stored, so they own their data: use `String` \
                                for `str`, `Vec<T>` for `[T]`, `Box<…>` for others";

/// What to write instead of `impl Trait`.
pub(crate) const NAME: &str = "name the type: stored values are read back by their type";

/// Everything in `ty` that cannot be stored, as far as its name shows.
pub(crate) fn not_owned(ty: &Type) -> Vec<NotOwned<'_>> {
    struct Visitor<'a>(Vec<NotOwned<'a>>);
    impl<'a> Visit<'a> for Visitor<'a> {
        fn visit_type_reference(&mut self, ty: &'a TypeReference) {
            self.0.push(NotOwned::Reference(ty));
        }

        fn visit_lifetime(&mut self, lifetime: &'a Lifetime) {
            // Others are declared, which is refused, or `'static`.
            if lifetime.ident == "_" {
                self.0.push(NotOwned::Lifetime(lifetime));
            }
        }

        fn visit_type_impl_trait(&mut self, ty: &'a TypeImplTrait) {
            self.0.push(NotOwned::ImplTrait(ty));
        }

        fn visit_type_fn_ptr(&mut self, _: &'a syn::TypeFnPtr) {
            // rustc says that it cannot be serialized; what is inside is no part of that.
        }

        fn visit_type_trait_object(&mut self, _: &'a syn::TypeTraitObject) {
            // As well.
        }
    }
    let mut visitor = Visitor(Vec::new());
    visitor.visit_type(ty);
    visitor.0
}

/// Whether values of the type have no size, as far as its name shows.
pub(crate) fn has_no_size(ty: &Type) -> bool {
    match ty {
        Type::Slice(_) => true,
        Type::Path(path) => path.path.is_ident("str"),
        Type::Group(group) => has_no_size(&group.elem),
        Type::Paren(paren) => has_no_size(&paren.elem),
        _ => false,
    }
}

/// The types that must be storable for `ty` to be: both sides of a `Result`, so that an error is on
/// the one that is not.
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
        // An alias with fewer may have a side that is not seen.
        if types.len() == 2 {
            return types;
        }
    }
    vec![ty]
}

/// Makes a type that has been refused one that can stand in an `impl`, for the callers' sake.
pub(crate) fn make_static(ty: &mut Type) {
    make_nameable(ty, Some(&syn::parse_quote!('static)));
}

/// Makes the type of a parameter that has been refused one to which the callers may give any borrow.
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
