//! The methods that a file declares, as far as their signatures tell what they do with what they are called on.

use std::collections::BTreeSet;

use super::pieces::is_word;

/// The names of those that take it.
pub(crate) fn taking_self(text: &str) -> BTreeSet<String> {
    let declared = text.split("fn ").skip(1).filter_map(|rest| {
        let end = rest.bytes().position(|byte| !is_word(byte))?;
        let (name, rest) = rest.split_at(end);
        let end = rest.bytes().position(|byte| matches!(byte, b'{' | b';'));
        let signature = &rest[..end.unwrap_or(rest.len())];
        (signature.contains("self") && takes_self(signature)).then(|| name.to_owned())
    });
    declared.collect()
}

fn takes_self(signature: &str) -> bool {
    let signature: String = signature.split_whitespace().collect();
    ["(self", "(mutself"].iter().any(|taken| match signature.split_once(taken) {
        Some((_, rest)) => rest.starts_with([',', ')']) || is_type_taken(rest),
        None => false,
    })
}

/// `: Box<Self>`
fn is_type_taken(rest: &str) -> bool {
    rest.strip_prefix(':').is_some_and(|ty| !ty.starts_with(['&', 'P']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_say_what_is_taken() {
        let text = "fn a(self) {} fn b(&self) {} fn c(\n    mut self,\n    n: u8,\n) -> u8; fn d(&mut self) {} \
                    fn e<F: Fn(u8)>(self: Box<Self>, f: F) {} fn f(self: &Rc<Self>) {} \
                    fn g(self: Pin<&mut Self>) {} fn h(selfish: u8) {} fn i(n: u8) {} fn add(self, o: u8) {}";
        let taking: Vec<_> = taking_self(text).into_iter().collect();
        assert_eq!(taking, ["a", "add", "c", "e"]);
    }
}
