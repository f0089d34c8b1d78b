//! `for` over what a value lends that is made for the loop alone, and dropped after it.

#[derive(Debug, Serialize, Deserialize)]
struct Shelf {
    books: Vec<Noisy>,
}

impl Shelf {
    fn books(&self) -> &[Noisy] {
        &self.books
    }

    fn names(&self) -> Vec<String> {
        self.books.iter().map(|book| book.name().to_owned()).collect()
    }
}

fn numbers(n: i64) -> Vec<i64> {
    (0..n.rem_euclid(4)).collect()
}

#[workflow]
async fn program(n: i64) -> String {
    let mut out = String::new();
    for line in format!("{n}\nb\n\nc").lines() {
        out.push_str(&fetch(line).await);
    }
    for word in out.to_uppercase().split_whitespace().enumerate() {
        note((word.0, fetch(word.1).await));
    }
    for (at, number) in numbers(n).iter().enumerate().rev() {
        note(add(*number, at as i64).await);
    }
    for number in &numbers(n + 1) {
        if act(*number).await > 100 {
            break;
        }
    }
    for number in &mut numbers(n + 2) {
        *number += act(*number).await;
        note(&number);
    }
    for number in (numbers(n).into_iter().map(|it| it + 1).collect::<Vec<_>>()).iter() {
        note(act(*number).await);
    }
    for number in (if flag(n).await { numbers(n) } else { vec![n] }).iter() {
        note(act(*number).await);
    }
    for (a, b) in numbers(n).iter().zip(&numbers(n + 1)) {
        note(add(*a, *b).await);
    }
    for (at, (a, b)) in numbers(n).iter().zip(&numbers(n + 2)).enumerate() {
        note((at, add(*a, *b).await));
    }
    for noisy in vec![Noisy::new("first"), Noisy::new("second")].iter() {
        note(fetch(noisy.name()).await);
    }
    let shelf = Shelf { books: vec![Noisy::new("held")] };
    for name in shelf.names().iter() {
        note(name);
        out += &concat(name, "!").await;
    }
    for book in shelf.books().iter().map(|book| book.name().len()) {
        note(act(book as i64).await);
    }
    for number in [1, n].iter() {
        note(act(*number).await);
    }
    for number in &[1, 2, 3] {
        note(act(*number).await);
    }
    for number in &mut [1, 2] {
        *number += act(*number).await;
        note(&number);
    }
    for number in [3, 4].iter_mut() {
        *number += act(*number).await;
        note(&number);
    }
    for text in ["a", "b"].iter() {
        note(fetch(text).await);
    }
    for text in &["a", "b"] {
        note(fetch(text).await);
    }
    out
}
