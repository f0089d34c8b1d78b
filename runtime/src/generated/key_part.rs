//! A value in a pattern such as `key = "{to}:{subject}"`, in front of a separator.

use std::fmt::{self, Display, Write};

/// Writes a value so that it ends at the first `separator` without a backslash before it. Values of such a pattern can
/// therefore not run into each other: `("ann", "hi:x")` and `("ann:hi", "x")` are two keys.
pub struct KeyPart<T> {
    value: T,
    separator: char,
}

impl<T: Display> KeyPart<T> {
    /// A value, and the first character of the text behind it.
    pub fn new(value: T, separator: char) -> Self {
        Self { value, separator }
    }
}

impl<T: Display> Display for KeyPart<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping { to: f, separator: self.separator }, "{}", self.value)
    }
}

struct Escaping<'a, 'b> {
    to: &'a mut fmt::Formatter<'b>,
    separator: char,
}

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for letter in text.chars() {
            if letter == '\\' || letter == self.separator {
                self.to.write_char('\\')?;
            }
            self.to.write_char(letter)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::KeyPart;

    #[test]
    fn a_value_is_written_as_it_is_unless_it_has_the_separator() {
        let written = |value: &str| format!("{}:x", KeyPart::new(value, ':'));
        assert_eq!(written("ann@shop.example"), "ann@shop.example:x");
        assert_eq!(written("a:b"), r"a\:b:x");
        assert_eq!(written(r"a\"), r"a\\:x");
    }

    #[test]
    fn values_do_not_run_into_each_other() {
        let texts: Vec<String> = (0..4_u32)
            .flat_map(|length| {
                (0..3_usize.pow(length)).map(move |mut number| {
                    let letters = (0..length).map(|_| {
                        let letter = ['a', ':', '\\'][number % 3];
                        number /= 3;
                        letter
                    });
                    letters.collect()
                })
            })
            .collect();
        let both = texts.iter().flat_map(|one| texts.iter().map(move |other| (one, other)));
        let keys: HashSet<String> =
            both.map(|(one, other)| format!("{}:{other}", KeyPart::new(one, ':'))).collect();
        assert_eq!(keys.len(), texts.len() * texts.len());
    }
}
