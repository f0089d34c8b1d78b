//! A small lexer: words, literals and punctuation of a text. rustc does not expose the positions of tokens in a
//! file, so the text is lexed here, far enough to distinguish brackets from those in literals and comments.

/// The next word, literal or punctuation mark from `next` on, with its position. Advances `next` past it.
///
/// The function reads whole files in an unoptimized build, so it works on bytes.
pub(crate) fn next_piece<'a>(text: &'a str, next: &mut usize) -> Option<(usize, &'a str)> {
    let bytes = text.as_bytes();
    loop {
        let mut at = *next;
        while at < bytes.len() && matches!(bytes[at], b' ' | b'\t'..=b'\r') {
            at += 1;
        }
        *next = at;
        match bytes.get(at)? {
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                *next = text[at..].find('\n').map_or(text.len(), |end| at + end);
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => *next += length_of_comment(&text[at..]),
            _ => {
                *next += length_of_piece(&text[at..]);
                return Some((at, &text[at..*next]));
            }
        }
    }
}

/// Whether the byte belongs to a word. Outside literals and comments, non-ASCII bytes occur in words only.
pub(crate) fn is_word(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | 0x80..)
}

/// The length of the word, literal or punctuation mark at the start of `text`.
fn length_of_piece(text: &str) -> usize {
    let up_to = |end: Option<usize>| end.unwrap_or(text.len());
    let bytes = text.as_bytes();
    match bytes[0] {
        b'"' => length_of_string(text),
        b'\'' => {
            let mut chars = text[1..].chars();
            match (chars.next(), chars.next()) {
                (Some('\\'), _) => up_to(text[3..].find('\'').map(|end| end + 4)),
                (Some(c), Some('\'')) => c.len_utf8() + 2,
                // A lifetime.
                _ => 1,
            }
        }
        first if is_word(first) => {
            let mut length = 1;
            while length < bytes.len() && is_word(bytes[length]) {
                length += 1;
            }
            if !matches!(bytes.get(length), Some(b'"' | b'#' | b'\'')) {
                return length;
            }
            let (word, rest) = text.split_at(length);
            let hashes = rest.len() - rest.trim_start_matches('#').len();
            match word {
                "r" | "br" | "cr" if rest[hashes..].starts_with('"') => {
                    let end = format!("\"{}", "#".repeat(hashes));
                    let open = length + hashes + 1;
                    up_to(text[open..].find(&end).map(|close| open + close + end.len()))
                }
                "b" | "c" if rest.starts_with('"') => length + length_of_string(rest),
                "b" if rest.starts_with('\'') => length + length_of_piece(rest),
                _ => length,
            }
        }
        _ => 1,
    }
}

fn length_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Block comments nest.
fn length_of_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}
