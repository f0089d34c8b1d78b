//! From rustc's words to those of a `.stderr` file.

use std::collections::BTreeMap;
use std::path::Path;

/// Where sources are.
#[derive(Clone, Debug)]
pub struct Normal {
    package: String,
    workspace: String,
}

/// Lines that sum up, and those that name a file that is gone.
const LEFT_OUT: [&str; 6] = [
    "error: aborting due to ",
    "Some errors have detailed explanations:",
    "For more information about an error, try",
    "For more information about this error, try",
    "= note: the full name for the type has been written to",
    "= note: consider using `--verbose` to print the full type name to the console",
];

/// What the first line of a message begins with.
const HEADINGS: [&str; 4] = ["error:", "error[", "warning:", "warning["];

/// The crates of the standard library, and piton.
const ROOTS: [&str; 4] = ["alloc::", "core::", "piton::", "std::"];

/// What a line of a path begins with.
const ARROWS: [&str; 2] = ["--> ", "::: "];

impl Normal {
    /// Sources of the package in this folder, which is a member of the workspace in the other.
    pub fn new(package: &Path, workspace: &Path) -> Self {
        let of = |path: &Path| format!("{}/", path.display());
        Self { package: of(package), workspace: of(workspace) }
    }

    /// What rustc has said, in the words of `old` where it says the same.
    pub fn form_like(&self, said: &str, old: &str) -> String {
        let old: BTreeMap<String, &str> =
            old.lines().map(|line| (with_short_names(line), line)).collect();
        let said = self.form(said);
        let lines =
            said.lines().map(|line| old.get(&with_short_names(line)).copied().unwrap_or(line));
        lines.flat_map(|line| [line, "\n"]).collect()
    }

    /// What rustc has said, without what only this machine says.
    fn form(&self, said: &str) -> String {
        let mut lines: Vec<String> = Vec::new();
        // Whether the lines of code are those of a file whose numbers are left out.
        let mut is_elsewhere = false;
        for line in said.lines() {
            let text = line.trim_start();
            if LEFT_OUT.iter().any(|start| text.starts_with(start)) {
                continue;
            }
            let mut line = line.trim_end().to_owned();
            if let Some(arrow) = ARROWS.iter().find(|arrow| text.starts_with(**arrow)) {
                let margin = &line[..line.len() - text.len()];
                let path = &text[arrow.len()..];
                let (path, elsewhere) = self.path(path);
                line = format!("{margin}{arrow}{path}");
                is_elsewhere = elsewhere;
            } else if is_elsewhere && is_of_a_file(&line) {
                line = without_number(&line);
            } else {
                is_elsewhere = false;
                line = line.replace(&self.package, "$DIR/").replace(&self.workspace, "$WORKSPACE/");
            }
            lines.push(line);
        }
        narrowed(&lines)
    }

    /// The path of a source, and whether it is of another package.
    fn path(&self, path: &str) -> (String, bool) {
        if let Some(own) = path.strip_prefix(&self.package) {
            return (own.to_owned(), false);
        }
        // Cargo compiles members of the workspace by paths that are relative to it.
        let of_workspace = match path.starts_with('/') {
            true => path.strip_prefix(&self.workspace).map(|it| ("$WORKSPACE/", it)),
            false => Some(("$WORKSPACE/", path)),
        };
        let of_rust = || path.split_once("/rustlib/src/rust/library/").map(|it| ("$RUST/", it.1));
        let of_build = || path.split_once("/library/").map(|it| ("$RUST/", it.1));
        match of_workspace.or_else(of_rust).or_else(of_build) {
            Some((root, path)) => {
                let is_number = |piece: &&str| !piece.bytes().all(|byte| byte.is_ascii_digit());
                let named: Vec<&str> = path.split(':').filter(is_number).collect();
                (format!("{root}{}", named.join(":")), true)
            }
            None => (path.to_owned(), false),
        }
    }
}

/// The line with the types and traits of these crates by their names alone. How rustc writes them
/// depends on whether any other crate that it has read has one of that name.
fn with_short_names(line: &str) -> String {
    let mut short = String::new();
    let mut rest = line;
    while let Some(start) = ROOTS.iter().filter_map(|root| rest.find(root)).min() {
        let (before, path) = rest.split_at(start);
        let is_of_path = |c: char| c.is_ascii_lowercase() || c == '_' || c == ':';
        let end = path.find(|c| !is_of_path(c)).unwrap_or(path.len());
        let is_name = path[end..].starts_with(|c: char| c.is_ascii_uppercase());
        short.push_str(before);
        if !is_name {
            short.push_str(&path[..end]);
        }
        rest = &path[end..];
    }
    short + rest
}

/// Whether a line shows a line of a file, or points into one.
fn is_of_a_file(line: &str) -> bool {
    line.trim_start().starts_with(|first: char| first.is_ascii_digit() || "|.".contains(first))
}

/// The line with blanks in place of its number.
fn without_number(line: &str) -> String {
    let end = line.find(|c: char| c != ' ' && !c.is_ascii_digit()).unwrap_or(line.len());
    " ".repeat(end) + &line[end..]
}

/// The lines, with the margin of each message as narrow as its numbers allow. A message whose heading has
/// several lines keeps its margin, and so do its notes, each for itself.
fn narrowed(lines: &[String]) -> String {
    let mut text = String::new();
    let mut rest = lines;
    while !rest.is_empty() {
        let is_arrow = |line: Option<&String>| line.is_some_and(|it| starts_with_arrow(it));
        let is_whole = is_arrow(rest.get(1));
        let is_next = |line: &String| {
            let starts = |start: &&str| line.starts_with(*start);
            HEADINGS.iter().any(starts) || !is_whole && line.starts_with("note: ")
        };
        let end = rest.iter().skip(1).position(is_next).map_or(rest.len(), |end| end + 1);
        let (message, others) = rest.split_at(end);
        rest = others;
        let margins = message.iter().filter_map(|line| margin(line));
        let spare = margins.map(|(_, spare)| spare).min();
        let spare = spare.filter(|_| is_whole).unwrap_or(0);
        let before = text.len();
        for line in message {
            match margin(line) {
                Some((cut, _)) => {
                    text.push_str(&line[..cut]);
                    text.push_str(&line[cut + spare..]);
                }
                None => text.push_str(line),
            }
            text.push('\n');
        }
        // rustc says some things twice where a macro has made the code.
        if is_whole && text[..before].contains(text[before..].trim_end()) {
            text.truncate(before);
        }
    }
    let mut text = text.trim_end().to_owned();
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn starts_with_arrow(line: &str) -> bool {
    ARROWS.iter().any(|arrow| line.trim_start().starts_with(arrow))
}

/// Where a line that has a margin may be cut, and by how many blanks.
fn margin(line: &str) -> Option<(usize, usize)> {
    let count = |text: &str, is: fn(&u8) -> bool| text.bytes().take_while(is).count();
    let is_blank: fn(&u8) -> bool = |byte| *byte == b' ';
    let before = count(line, is_blank);
    let number = count(&line[before..], u8::is_ascii_digit);
    let after = count(&line[before + number..], is_blank);
    let rest = &line[before + number + after..];
    let has_mark = |mark: char| {
        rest.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let is_code = has_mark('|') || number > 0 && ['~', '+', '-'].into_iter().any(has_mark);
    let is_said = number == 0 && (has_mark('=') || starts_with_arrow(rest));
    let cut = if before > 0 { 0 } else { number };
    (before + after > 0 && (is_code || is_said)).then(|| (cut, before + after - 1))
}
