//! The generator writes every construct that must compile, and the everyday ones with awaits in them.

use difftest::generate;

/// What some line of some program has in it.
const CONSTRUCTS: &[&[&str]] = &[
    // Awaits in expressions.
    &["(Line { count: ", ".await"],
    &["[", " as usize]", ".await"],
    &["format!(", ".await"],
    &["vec![", ".await"],
    &["assert", "!(", ".await"],
    &["matches!(", ".await"],
    &["write!(v", ".await"],
    &["ensure!(", ".await"],
    &["bail!(", ".await"],
    &["i64::min(", ".await"],
    &["for ", " in ", ".await"],
    &[" += ", ".await"],
    &["return ", ".await"],
    &["break 'l", ".await"],
    &["..=", ".await"],
    &[" && ", ".await"],
    &[" || ", ".await"],
    &[" as f64", " as i64"],
    &[".await?"],
    &[".await.map(", "?"],
    // Operands that a later one changes.
    &[" < { v", "= ", ".await"],
    &[".max({ ", ".await"],
    &[".unwrap_or({ ", " = None", ".await"],
    &["let ref mut v", ".await"],
    &["ref mut v", " => ", ".await"],
    // Everyday borrows.
    &[".push(", ".await"],
    &[".push_str(", ".await"],
    &[".insert(", ".await"],
    &[".entry(", ".or_insert("],
    &[".entry(", ".or_default().push(", ".await"],
    &[".entry(", ".or_default() += "],
    &[".last_mut().unwrap().push_str("],
    &[".first_mut().expect("],
    &[" = &mut v"],
    &[" = &v"],
    &["let v", " = &mut ", ".await"],
    &["let v", " = &", ".await"],
    // Borrows that are looked up, chosen, or made by a pattern.
    &["if let Some(v", ".get_mut("],
    &[" && let Some(v", ".get_mut("],
    &["if let [v", ", v", " @ ..] = v", ".as_slice()"],
    &["else if let ", ".get("],
    &["let Some(v", ".get(", ") else {"],
    &["let Some(v", ".last_mut() else {"],
    &["while let Some(v", "_mut("],
    &["match &mut v"],
    &["match v", ".get_mut(&*", ") {"],
    &["[first, middle @ .., last] if *first % 2 == 0"],
    &["match ", "[..] {"],
    &["[first, ..] if first % 2 == 0"],
    &["Some(x @ 1..=50) if *x % 2 == 0"],
    &["Shape::Named(name, _) if name.len() as i64 % 2 == 0"],
    &["let Order { customer: ref mut v", " = ", ".await"],
    &["let (mut v", ", ref v", ".await"],
    &["let v", " = if ", "tick().await; &v", "} else { &v"],
    &["let v", " = if ", "{ &mut v", "} else { &mut v"],
    &["let v", " = match ", "=> &v", " if v", " % 2 == 0 => &v"],
    &[".get_mut(&*", ".ok_or(", ")?;"],
    &["let v", ".last_mut()?;"],
    &["let v", ".get_or_insert(", ".await"],
    &["note(v", ".await", " ^ v"],
    // Control flow.
    &["if let ", " && let "],
    &[") else {"],
    &["while let "],
    &["'l", ": loop {"],
    &["'l", ": {"],
    &["continue 'l"],
    &["match ", " {"],
    &["Ok(Some(x @ 1..=40)) if x % 2 == 0"],
    &["let ", " else { return ", ".await"],
    // Patterns.
    &[" @ ", ".."],
    &["&[first, .., last]"],
    &["Shape::Named("],
    &["let (mut v", ", mut v", ");"],
    &["((v", "), _) = ("],
    // Loops.
    &[": for ", " in &v"],
    &[": for ", " in &mut v"],
    &[": for ", ".iter()"],
    &[".lines() {"],
    &[".chunks(2) {"],
    &[".inspect(|x| { "],
    &[".peekable() {"],
    &[".range(String::from("],
    &[": for ", ".windows(2) {"],
    &[": for ", ".chunks_mut(2) {"],
    &[": for ", " in (1_i64..).zip(&"],
    &[": for (v", ".iter().zip(&"],
    &[" < 4 { v", ".push(", ".await"],
    // Borrows of parts that are looked for.
    &["let v", " = &mut v", "[i64::rem_euclid(", ".await"],
    &["let v", ".get(&*", ".await", ").unwrap_or(&0);"],
    &["let v", ".entry(", ".or_insert(", ".await"],
    &["let v", ".split('e').nth(", ".await"],
    &[": for ", ").lines() {"],
    &[": for ", ").iter() {"],
    &[": for row_", " in &rows_"],
    &[".chars()"],
    &[".into_iter().zip("],
    // Look-ups with keys that are variables.
    &["if let Some(v", ".get(&v", ") {"],
    &["/* may be refused: saved_locals */ let Some(v"],
    &["let Some(v", ".find(|x| **x > v", ") else { break 'l"],
    &["let v", ".lines.iter_mut().find(|l| l.count > v", ".unwrap();"],
    // Ranges that are driven by hand.
    &["let mut v", " = i64::rem_euclid(", ")..=i64::rem_euclid("],
    &["'l", ": while let Some(v", ".next_back() {"],
    &["let mut v", " = if ", "{ 0..=2 } else { 3..="],
    &["/* may be refused: saved_locals */ let mut v", " = (0..="],
    // What methods of their own types lend.
    &["= Room::new("],
    &["let v", " = &mut v", ".chair.karma;"],
    &["let mut v", ".borrow_mut();"],
    &["/* may be refused: saved_locals */ let v", ".member("],
    &["/* may be refused: saved_locals */ let mut v", ".lease("],
    // Raw names.
    &["let r#type = "],
    &["{move:?}"],
    &["self.r#"],
    &["let r#v"],
    &["async fn r#"],
    // Several at once.
    &["select! {"],
    &[" = ", "), if ", " => {"],
    &["cx.signal::<Bump>().await.0"],
    &["join!("],
    &["try_join!("],
    &["join_all("],
    &["async move {"],
    &["async {"],
    &["}.await"],
    // Functions and items.
    &["async fn inner"],
    &["async fn inner", "<T"],
    &["Box::pin(recursive("],
    &["async fn generic<T"],
    &["mut self, n: i64"],
    &["const V"],
    &["static V"],
    &["use std::cmp::max"],
    &["|x: i64| "],
];

#[test]
fn every_construct_is_written() {
    let sources: Vec<String> = (1..6000).map(|seed| generate::program(seed).to_source()).collect();
    let lines: Vec<&str> = sources.iter().flat_map(|source| source.lines()).collect();
    let is_in = |line: &str, pieces: &[&str]| {
        let mut rest = Some(line);
        for piece in pieces {
            rest = rest.and_then(|rest| rest.split_once(piece)).map(|(_, rest)| rest);
        }
        rest.is_some()
    };
    let is_missing = |pieces: &&&[&str]| !lines.iter().any(|line| is_in(line, pieces));
    let missing: Vec<_> = CONSTRUCTS.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "never written: {missing:?}");
}
