//! Methods of the program's own that are called as those that lend are, and give values.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Shelf {
    books: Vec<String>,
}

impl Shelf {
    fn lines(&self) -> Vec<String> {
        self.books.clone()
    }

    fn keys(&self) -> impl Iterator<Item = String> {
        self.books.iter().map(|book| book.to_uppercase())
    }

    fn values(&self) -> &[String] {
        &self.books
    }

    fn last(&self) -> Option<String> {
        self.books.last().cloned()
    }

    fn get(&self, count: &usize) -> Option<Vec<String>> {
        note(*count);
        self.books.get(..*count).map(<[String]>::to_vec)
    }

    fn split(&self, at: usize) -> (Vec<String>, Vec<String>) {
        let (low, high) = self.books.split_at(at);
        (low.to_vec(), high.to_vec())
    }
}

#[workflow]
async fn program(n: i64) -> i64 {
    let mut shelf = Shelf { books: words(&format!("a{n} b")).await };
    for line in shelf.lines().into_iter() {
        shelf.books.push(fetch(&line).await);
    }
    for key in shelf.keys().into_iter() {
        note(fetch(&key).await);
    }
    for value in shelf.values() {
        note(fetch(value).await);
    }
    for book in shelf.get(&2).unwrap() {
        note(fetch(&book).await);
        shelf.books.push(book);
    }
    let last: Option<String> = shelf.last();
    let (low, high) = shelf.split(1);
    shelf.books.clear();
    tick().await;
    note((last, low, high, shelf));
    n
}
