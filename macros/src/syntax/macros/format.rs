//! Variables named in format strings.

use crate::syntax::names;

/// The variables that a format string names, such as `x` in `"{x:?}"` and `width` in `"{:width$}"`.
pub(crate) fn captures(format: &str) -> Vec<String> {
    let mut names = Vec::new();
    scan_captures(format, |name| names.push(names::in_code(name)));
    names
}

/// The format string with its variables renamed. `rename` receives and returns names as in code, with `r#`.
pub(crate) fn rename_captures(format: &str, rename: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(format.len());
    let mut copied = 0;
    scan_captures(format, |name| {
        // `name` is a slice of `format`.
        let start = name.as_ptr() as usize - format.as_ptr() as usize;
        if let Some(new) = rename(&names::in_code(name)) {
            out.push_str(&format[copied..start]);
            out.push_str(names::without_prefix(&new));
            copied = start + name.len();
        }
    });
    out.push_str(&format[copied..]);
    out
}

/// Calls `found` with every variable's name, as a slice of `format`.
fn scan_captures<'a>(format: &'a str, mut found: impl FnMut(&'a str)) {
    let mut rest = format;
    while let Some(open) = rest.find(['{', '}']) {
        let after = &rest[open + 1..];
        if !rest[open..].starts_with('{') || after.starts_with('{') {
            rest = after.get(usize::from(after.starts_with(['{', '}']))..).unwrap_or_default();
            continue;
        }
        let Some(close) = after.find('}') else { return };
        let hole = &after[..close];
        let (argument, spec) = hole.split_once(':').unwrap_or((hole, ""));
        if is_name(argument) {
            found(argument);
        }
        // Width and precision: an identifier before `$`.
        let mut spec = spec;
        while let Some(dollar) = spec.find('$') {
            let head = &spec[..dollar];
            let start = head
                .char_indices()
                .rev()
                .take_while(|(_, c)| c.is_alphanumeric() || *c == '_')
                .last()
                .map_or(dollar, |(index, _)| index);
            if is_name(&head[start..]) {
                found(&head[start..]);
            }
            spec = &spec[dollar + 1..];
        }
        rest = &after[close + 1..];
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && names::is_name(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_are_found() {
        assert_eq!(
            captures("{a} {{b}} {c:?} {} {0} {:w$.p$} {d:>e$}"),
            ["a", "c", "w", "p", "d", "e"]
        );
        assert_eq!(captures("}} { "), [""; 0]);
    }

    #[test]
    fn captures_are_renamed() {
        let rename = |name: &str| (name == "a").then(|| "a_2".to_owned());
        assert_eq!(rename_captures("{a}{b}{{a}}{a:a$}", rename), "{a_2}{b}{{a}}{a_2:a_2$}");
    }
}
